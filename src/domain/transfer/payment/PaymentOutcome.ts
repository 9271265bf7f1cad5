/** The state of a broadcast payment on its chain, over all of its variants, and how endpoints agree on it. */
import type { TransactionId } from "../../chain/TransactionId.ts"
import type { ReadingRule } from "../../quorum/AgreeOnReading.ts"
import type { BlockRef } from "../../evidence/BlockRef.ts"

export type PaymentOutcome =
  /** The chain does not know the newest variant now: broadcast it again. */
  | { readonly _tag: "Unseen" }
  /**
   * A final block has used the sequence for a transaction that is none of the variants: the payment can never be
   * executed.
   */
  | { readonly _tag: "Superseded" }
  /**
   * The payment has expired: a final block is past the last block that could have contained a variant, and none did.
   * This is normal on chains where payments expire. No other party caused it, and it raises no alarm.
   */
  | { readonly _tag: "Expired" }
  | { readonly _tag: "Pending" }
  | {
    readonly _tag: "Included"
    /** The variant that is in a block. */
    readonly transactionId: TransactionId
    /**
     * The id under which that variant was signed, on a chain that names a transaction only when it executes it; absent
     * on all others.
     */
    readonly signedAs?: TransactionId
    readonly block: BlockRef
    readonly succeeded: boolean
    /** The cost of the transaction itself, smallest units of the native currency. */
    readonly gasPaid: bigint
    /**
     * What it left with an account that it opened, smallest units of the native currency; absent on chains without
     * rent.
     */
    readonly rentPaid?: bigint | undefined
    /**
     * What reached the recipient of a payment that does not count as paid, because its token kept a part of it: smallest
     * units. Absent when nothing did.
     */
    readonly deliveredPart?: bigint
    readonly final: boolean
  }

type Included = Extract<PaymentOutcome, { readonly _tag: "Included" }>

/**
 * True when it is in a final block and moved nothing, so that none of its variants ever will. SECURITY: a payment of which
 * a part has reached its recipient has not failed so.
 */
export const hasFailed = (outcome: PaymentOutcome): boolean =>
  outcome._tag === "Included" && outcome.final && !outcome.succeeded && outcome.deliveredPart === undefined

const sameInclusion = (left: Included, right: Included): boolean =>
  left.transactionId === right.transactionId && left.block.hash === right.block.hash &&
  left.block.height === right.block.height && left.succeeded === right.succeeded && left.gasPaid === right.gasPaid &&
  left.rentPaid === right.rentPaid && left.signedAs === right.signedAs && left.deliveredPart === right.deliveredPart

/** What an endpoint does not know yet, whether it waits in its pool or not. */
const isOut = ({ _tag }: PaymentOutcome): boolean => _tag === "Pending" || _tag === "Unseen"

/**
 * True when something is decided on the outcome that a later reading cannot undo: it is closed as final, or signed
 * again. Such an outcome needs the quorum.
 */
export const isConclusion = (outcome: PaymentOutcome): boolean =>
  outcome._tag === "Included" ? outcome.final : !isOut(outcome)

/** Equal: in the same block with the same result, dead for the same reason, or both in no block. */
export const outcomeRule: ReadingRule<PaymentOutcome> = {
  same: (left, right) =>
    left._tag === "Included" && right._tag === "Included"
      ? sameInclusion(left, right)
      : left._tag === right._tag || (isOut(left) && isOut(right)),
  combine: (equal, needed) => {
    const [first] = equal
    if (first._tag !== "Included") return first
    return { ...first, final: equal.filter((each) => each._tag === "Included" && each.final).length >= needed }
  },
  claims: (outcome) => isConclusion(outcome) ? "lasting" : "open"
}
