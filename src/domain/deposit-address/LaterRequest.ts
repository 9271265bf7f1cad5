/**
 * The request that a further deposit at an open address makes (ADDRESS-9): the one that the address was quoted
 * with, for what has come, from where it has come.
 */
import type { CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { QuoteRequest } from "../quote/request/QuoteRequest.ts"

/** What has come to the address. */
export interface Arrived {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  /** Smallest units. */
  readonly units: bigint
}

/** Whatever its price impact: what has come is filled if it covers its fees, and nobody is there to be asked. */
export const laterRequest = (request: QuoteRequest, { chainId, currency, units }: Arrived): QuoteRequest => ({
  ...request,
  originChainId: chainId,
  originCurrency: currency,
  amount: units,
  tradeType: "EXACT_INPUT",
  overridePriceImpact: true
})

/**
 * The same without a sponsor: then the user pays, as at any fill (SPONSOR-12). A gas topup that the sponsor was to pay
 * is none of the user's wishes, and would take more of a small deposit than its fees: there is none.
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
