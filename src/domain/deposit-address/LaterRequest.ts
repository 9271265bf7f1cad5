/**
 * The request of a later deposit at an open address (ADDRESS-9): the address's quoted request, with the amount,
 * currency and chain of this deposit.
 */
import type { CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { QuoteRequest } from "../quote/request/QuoteRequest.ts"

/** A deposit at the address. */
export interface Arrived {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  /** Smallest units. */
  readonly units: bigint
}

/** The price impact is not checked: the deposit is filled if it covers its fees, and there is no user to ask. */
export const laterRequest = (request: QuoteRequest, { chainId, currency, units }: Arrived): QuoteRequest => ({
  ...request,
  originChainId: chainId,
  originCurrency: currency,
  amount: units,
  tradeType: "EXACT_INPUT",
  overridePriceImpact: true
})

/**
 * The same request without a sponsor: the user pays the fees, as for any fill (SPONSOR-12). A gas topup that the
 * sponsor was to pay is left out. The user did not ask for it, and it would cost a small deposit more than its fees.
 */
export const unsponsored = (request: QuoteRequest): QuoteRequest => {
  if (request.subsidizeFees !== true) return request
  const {
    maxSubsidizationAmount: _cap,
    sponsoredFeeComponents: _components,
    subsidizeFees: _fees,
    subsidizeRent: _rent,
    topupGas: _topup,
    topupGasAmount: _amount,
    ...rest
  } = request
  return rest
}
