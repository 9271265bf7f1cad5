/**
 * What of a refund counts against the cap of unattested refunds (REFUND-12).
 *
 * SECURITY: a refund that does not settle counts by its whole deposit. Of one that settles the solver may still bear a
 * part, because the order's minimum allows no less. For strangers' deposits, and at deposit addresses, all of that
 * counts: otherwise they could make the solver burn much gas with little money. A user's own deposit costs the user about
 * as much gas as its refund. But what opens the refund's account stays with its owner, who could close it and gain that
 * with each deposit, so this part counts for everybody.
 */
import { maxOf, minOf } from "../../money/Rounding.ts"

/** A refund that is not signed yet. Amounts in smallest units of its currency. */
export interface CountedRefund {
  readonly settles: boolean
  /** Whether the deposit's owner sent it. */
  readonly isOwn: boolean
  readonly deposited: bigint
  /** What is refunded. */
  readonly amount: bigint
  /** What is left of the deposit after the refund's costs. Zero when they exceed it. */
  readonly net: bigint
  /** The part of these costs that stays with the recipient, in an account that the refund opens. */
  readonly given: bigint
}

/** Smallest units of the refund's currency. Nothing counts when nothing is refunded. */
export const borneRefund = ({ amount, deposited, given, isOwn, net, settles }: CountedRefund): bigint => {
  if (amount === 0n) return 0n
  if (!settles) return deposited
  const borne = maxOf(0n, amount - net)
  return isOwn ? minOf(given, borne) : borne
}
