/**
 * Whether a deposit that came back with more than its payment was made for (REFUND-9) still settles by that payment.
 * Oracles judge the payment by all that the deposit has now.
 *
 * SECURITY: what does not settle is its depositor's on the hub. Whoever deposits by a contract could have it change its
 * amount in a reorg, and would get the difference twice.
 */
import type { Address } from "../../chain/Address.ts"
import type { Chain } from "../../chain/Chain.ts"
import type { Deposit } from "../../transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../transfer/refund/RefundedTransfer.ts"
import { deliveredOf } from "../../transfer/Transfer.ts"
import type { Transfer } from "../../transfer/Transfer.ts"
import { fallbackUntil } from "./SettledFallback.ts"
import { settlesUntil } from "./SettledFill.ts"
import { planSettledRefund } from "./SettledRefund.ts"

/** The fields of a stored payment that this depends on. */
export interface PaidBefore {
  readonly leg: string
  /** Smallest units of its currency. */
  readonly amount: bigint
}

/** By the fill of an order, or what was delivered in its place. */
export const deliverySettles = (
  { order, terms }: Transfer,
  { amount, leg }: PaidBefore,
  { amount: deposited }: Deposit
): boolean =>
  (leg === "fallback"
    ? fallbackUntil(order, { deposited, amountOut: amount, recipient: terms.recipient })
    : settlesUntil(order, { deposited, amountOut: deliveredOf(terms, amount) })) !== undefined

/** By a refund, which was signed in time for the order's option. */
export const refundSettles = (
  { order }: Pick<RefundedTransfer, "order">,
  { amount }: PaidBefore,
  { amount: deposited, currency, depositor }: Deposit,
  { chain, recipient }: { readonly chain: Chain; readonly recipient: Address }
): boolean => {
  const planned = planSettledRefund(order, { chain, currency, recipient, depositor, deposited }, {
    net: amount,
    mintable: true,
    now: 0
  })
  return planned._tag === "Attestable" && planned.amount === amount
}
