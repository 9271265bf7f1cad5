/**
 * What an account of exchange B is asked to sign (EXCHANGEB-5, STEP-14): the transfer into the depository, or of a send
 * to its recipient, with the order's id as its memo. The service builds it, and the client builds it again to compare.
 * Pure.
 */
import type { Address } from "../../../chain/Address.ts"
import type { Currency } from "../../../money/Currency.ts"
import type { OrderId } from "../../../order/Order.ts"
import type { ExchangeBTransactionData } from "../ExchangeBTransactionData.ts"
import { assetOf } from "../payment/Asset.ts"

/** Clients take amounts as JSON numbers, which are exact up to here. */
export const MOST_AMOUNT = BigInt(Number.MAX_SAFE_INTEGER)

/** What one user pays. */
export interface ExchangeBPayment {
  readonly currency: Pick<Currency, "address">
  /** Smallest units, at most `MOST_AMOUNT`. */
  readonly amount: bigint
  /** What the exchange takes for the transfer besides, smallest units of USDC. */
  readonly fee: bigint
  readonly orderId: OrderId
}

/** The transfer to that account, on the route of the currency. */
export const transferData = (
  payee: Address,
  { amount, currency, fee, orderId }: ExchangeBPayment
): ExchangeBTransactionData => {
  const { assetIndex, route } = assetOf(currency.address)
  return {
    action: {
      type: "transfer",
      parameters: {
        toAccountIndex: Number(payee),
        assetIndex: Number(assetIndex),
        fromRouteType: Number(route),
        toRouteType: Number(route),
        amount: Number(amount),
        usdcFee: Number(fee),
        memo: orderId
      }
    }
  }
}
