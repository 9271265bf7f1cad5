/** The current state of a deposit on its chain, and how endpoints agree on it. */
import { reachedBy } from "../../quorum/AgreeOnReading.ts"
import type { ReadingRule } from "../../quorum/AgreeOnReading.ts"
import type { BlockRef } from "../../evidence/BlockRef.ts"
import type { Deposit } from "./Deposit.ts"

export type Standing =
  | {
    readonly _tag: "Included"
    readonly block: BlockRef
    /** Counts the deposit's own block. */
    readonly confirmations: number
    readonly final: boolean
    /** All deposits of its transaction, including this one. The hub mints them together or not at all. */
    readonly deposits: ReadonlyArray<Deposit>
  }
  | { readonly _tag: "Gone" }

/**
 * True when something is decided on the standing that a later reading cannot undo: the deposit is closed as final, or
 * given up as gone. Such a standing needs the quorum.
 */
export const isClosing = (standing: Standing): boolean => standing._tag === "Gone" || standing.final

type Included = Extract<Standing, { readonly _tag: "Included" }>

/** Equal in all that is paid by. Its block is not compared: a reorg may have moved it. */
export const sameDeposit = (left: Deposit, right: Deposit): boolean =>
  left.onchainId === right.onchainId && left.depositId === right.depositId && left.depositor === right.depositor &&
  left.sender === right.sender && left.forwarder === right.forwarder && left.currency === right.currency &&
  left.amount === right.amount

/**
 * What the chain has under the deposit's id, when that is not what was recorded. Undefined when it is, and when the
 * deposit is gone.
 */
export const otherThan = (recorded: Deposit, standing: Standing): Deposit | undefined =>
  standing._tag === "Gone"
    ? undefined
    : standing.deposits.find((each) => each.onchainId === recorded.onchainId && !sameDeposit(each, recorded))

const sameInclusion = (left: Included, right: Included): boolean =>
  left.block.hash === right.block.hash && left.block.height === right.block.height &&
  left.block.time === right.block.time && left.deposits.length === right.deposits.length &&
  left.deposits.every((deposit, index) => {
    const other = right.deposits[index]
    return other !== undefined && sameDeposit(deposit, other)
  })

/** Equal: in the same block with the same deposits, or both gone. */
export const standingRule: ReadingRule<Standing> = {
  same: (left, right) =>
    left._tag === "Included" && right._tag === "Included" ? sameInclusion(left, right) : left._tag === right._tag,
  combine: (equal, needed) => {
    const [first] = equal
    if (first._tag === "Gone") return first
    const included = equal.flatMap((each) => each._tag === "Included" ? [each] : [])
    return {
      ...first,
      confirmations: reachedBy(included.map(({ confirmations }) => confirmations), needed) ?? 0,
      final: included.filter(({ final }) => final).length >= needed
    }
  },
  // Gone is said only of a block that the endpoint has read, or has replaced.
  claims: (standing) => standing._tag === "Gone" ? "proven" : standing.final ? "lasting" : "open"
}
