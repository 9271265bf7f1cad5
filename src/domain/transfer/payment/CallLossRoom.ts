/**
 * Whether there is room for what a fill that may revert can lose, beside what other orders have lost and may lose
 * (REFUND-11, REFUND-13). Pure. Amounts are micro-dollars of 24 hours.
 *
 * Swaps in flight and strangers' code in flight count apart, so that neither takes the other's room. What has happened
 * counts against both. At each admission the losses and an eighth of what the swaps in flight may lose are within the
 * cap. So swaps lose at most eight times the cap, in flight together or one after the other, and calls the cap besides.
 */

/** What of a loss has not happened yet. Of `calls` all that may be lost counts, of a `swap` an eighth. */
export type RiskInFlight = "calls" | "swap"

/** What is to be reserved. */
export type CallRiskKind =
  | RiskInFlight
  /** Code of an order that has lost something by an earlier fill, which is in the amount. It counts as if it had happened. */
  | "calls-after-loss"
  /** A swap that is signed already, and replaced at a higher fee. */
  | "signed-swap"

/** How it counts from then on. Undefined: as if it had happened. */
export const inFlightOf = (kind: CallRiskKind): RiskInFlight | undefined => {
  if (kind === "calls-after-loss") return undefined
  return kind === "signed-swap" ? "swap" : kind
}

/** Caps on the loss: for all senders together, and for one of them. */
export interface CallLossCaps {
  readonly all: bigint
  readonly sender: bigint
}

/** What counts of other orders. */
export interface CallLossSums extends Readonly<Record<RiskInFlight, bigint>> {
  /** What has happened. */
  readonly lost: bigint
}

/** Part of its possible loss that a swap in flight reserves. */
const SWAP_PART = 8n

/** Of the room of swaps in flight, one sender has half: a sender may be an integrator whose users are many. */
const SENDERS_HALF = 2n

const leastOf = (one: bigint, other: bigint): bigint => one < other ? one : other

/** What a swap in flight reserves of what it may lose, rounded up. */
export const swapRisk = (most: bigint): bigint => (most + SWAP_PART - 1n) / SWAP_PART

/**
 * `amount`: what is to be reserved. `own`: the sums of its sender.
 *
 * SECURITY: a signed swap is replaced whatever is in flight: refused, it would run out of gas for certain, and strangers
 * would choose when. Only losses that have happened refuse it.
 */
export const hasRoom = (
  kind: CallRiskKind,
  amount: bigint,
  caps: CallLossCaps,
  all: CallLossSums,
  own: CallLossSums
): boolean => {
  if (kind === "calls" || kind === "calls-after-loss") {
    return all.lost + all.calls + amount <= caps.all && own.lost + own.calls + amount <= caps.sender
  }
  if (all.lost >= caps.all || own.lost >= caps.sender) return false
  if (kind === "signed-swap") return true
  // One that is larger than its room is made while no other is in flight: no fee alone refuses all swaps.
  const half = caps.all / SENDERS_HALF
  return all.lost + all.swap + leastOf(amount, caps.all) <= caps.all && own.swap + leastOf(amount, half) <= half
}
