/**
 * What a deposit pays of a fill that runs strangers' code and reverts (REFUND-11): calls of its request, or the code of
 * its recipient. Whoever wrote them can make them succeed in simulation and fail on chain. So the deposit of such an
 * order pays for one fill, and the solver loses what the deposit does not cover.
 *
 * SECURITY: the amount taken off a refund is at most the receipt's cost, at most what the quote showed, and never the
 * whole deposit.
 */
import { maxOf, minOf } from "../../money/Rounding.ts"
import { leastRefund } from "../../hub/settling/SettledRefund.ts"
import type { RefundBounds } from "../refund/RefundBounds.ts"
import type { RefundedTransfer } from "../refund/RefundedTransfer.ts"
import { PRICE_HOLD_SECONDS } from "../deposit/JudgeDeposit.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import { leastDeposit } from "../Transfer.ts"
import type { Transfer } from "../Transfer.ts"

/** True for an order that runs calls which its request wrote. Calls of a swap alone are the service's own. */
export const runsCalls = ({ order, terms: { destinationSwap } }: Pick<RefundedTransfer, "order" | "terms">): boolean =>
  order.output.calls.length > 0 && (destinationSwap === undefined || destinationSwap.thenCalls === true)

/**
 * How much of one reverted fill a deposit covers, smallest units. Zero for orders of versions without such a bound.
 * `least`: the order's minimum refund for this deposit, which leaves less of a smaller deposit than was shown.
 */
export const coveredCalls = (deposited: bigint, bounds: RefundBounds | undefined, least: bigint): bigint =>
  bounds === undefined ? 0n : minOf(bounds.calls, maxOf(0n, deposited - maxOf(1n, least) - bounds.gas))

/**
 * The part of a reverted fill's cost that the deposit does not cover, as far as it is known before the refund is made.
 */
export const uncoveredCalls = (
  cost: bigint,
  { order, terms: { refundBounds } }: Pick<Transfer, "order" | "terms">,
  deposited: bigint
): bigint => maxOf(0n, cost - coveredCalls(deposited, refundBounds, leastRefund(order, deposited)))

/**
 * True for a deposit that has paid for one fill by the price that it was quoted: the whole amount, in time, and without a
 * sponsor, who pays for no fill that reverts (REFUND-13).
 */
export const paysForFill = (
  { quotedAt, terms }: Pick<Transfer, "quotedAt" | "terms">,
  { amount, block }: Pick<Deposit, "amount" | "block">
): boolean =>
  terms.sponsorship === undefined && amount >= leastDeposit(terms) &&
  block.time * 1000 - quotedAt <= PRICE_HOLD_SECONDS * 1000

/** A refund after a fill that reverted, all in smallest units of the deposit's currency. */
export interface RevertedRefund {
  readonly deposited: bigint
  /** What is left of the deposit after the refund's own gas. */
  readonly net: bigint
  /** The smallest amount that the chain accepts. */
  readonly least: bigint
  /** What the reverted fill has cost, by its receipt. */
  readonly cost: bigint
  readonly bounds: RefundBounds | undefined
}

/**
 * What the refund pays of the reverted fill. At least one unit is returned whenever something would have been returned
 * without this charge.
 */
export const chargedCalls = ({ bounds, cost, least, net }: RevertedRefund): bigint =>
  bounds === undefined ? 0n : maxOf(0n, minOf(minOf(cost, bounds.calls), net - maxOf(1n, least)))

/** The minimum that is returned, whatever a refund costs now. */
export const leastAfterRevert = ({ bounds, deposited }: RevertedRefund): bigint =>
  bounds === undefined ? 0n : maxOf(0n, deposited - bounds.gas - bounds.calls)

/** The solver's loss by the reverted fill when `paid` is returned. */
export const lostCalls = ({ cost, net }: RevertedRefund, paid: bigint): bigint =>
  maxOf(0n, cost - maxOf(0n, net - paid))
