/**
 * When two endpoints agree. The quorum compares observations by these functions.
 *
 * Final facts must be equal in every member, time and order included. An observation that is not final is not a fact
 * yet. Endpoints may differ in it without disagreeing, and nothing is signed on it.
 *
 * A schema's comparison is derived when it is first needed, and kept by effect: importing this module costs nothing.
 */
import * as Schema from "effect/Schema"
import { Observation } from "./TransactionEvidence.ts"
import { WithdrawalEvidence } from "./withdrawal/WithdrawalEvidence.ts"

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

/** The same plain data, member by member. False for anything but lists, records and primitive values. */
const isSameData = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (!isPlain(left) || !isPlain(right) || Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  return names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameData(left[name], right[name]))
}

/** Equal in every member. Endpoints usually agree to the letter, which is found sooner than by the schema. */
const isSameFact = (left: Observation, right: Observation): boolean =>
  isSameData(left, right) || Schema.toEquivalence(Observation)(left, right)

/** True for a final observation. Only these are facts. */
export const isFinal = (seen: Observation): boolean => seen._tag === "Transaction" && seen.finality._tag === "Final"

/** True for a fact that no later reading can change: its nonce mapping, if it has one, can no longer arrive. */
export const isLasting = (seen: Observation): boolean =>
  isFinal(seen) && seen._tag === "Transaction" && (seen.mappedBy === undefined || seen.mappedBy.graceLeft === 0)

/** Equal facts about one transaction, or not final on either side. */
export const sameObservation = (left: Observation, right: Observation): boolean =>
  isFinal(left) || isFinal(right)
    ? isSameFact(left, right)
    : left.chain === right.chain && left.transactionId === right.transactionId

/** Equal facts about one withdrawal at the pinned block. */
export const sameWithdrawal = (left: WithdrawalEvidence, right: WithdrawalEvidence): boolean =>
  Schema.toEquivalence(WithdrawalEvidence)(left, right)
