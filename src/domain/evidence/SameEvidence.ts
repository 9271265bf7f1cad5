/**
 * When two endpoints agree. The quorum compares observations by these functions.
 *
 * Final facts must be equal in every member, time and order included. An observation that is not final is not a fact
 * yet. Endpoints may differ in it without disagreeing, and nothing is signed on it.
 */
import * as Schema from "effect/Schema"
import { Observation } from "./TransactionEvidence.ts"
import { WithdrawalEvidence } from "./withdrawal/WithdrawalEvidence.ts"

const identical = Schema.toEquivalence(Observation)

/** True for a final observation. Only these are facts. */
export const isFinal = (seen: Observation): boolean => seen._tag === "Transaction" && seen.finality._tag === "Final"

/** True for a fact that no later reading can change: its nonce mapping, if it has one, can no longer arrive. */
export const isLasting = (seen: Observation): boolean =>
  isFinal(seen) && seen._tag === "Transaction" && (seen.mappedBy === undefined || seen.mappedBy.graceLeft === 0)

/** Equal facts about one transaction, or not final on either side. */
export const sameObservation = (left: Observation, right: Observation): boolean =>
  isFinal(left) || isFinal(right)
    ? identical(left, right)
    : left.chain === right.chain && left.transactionId === right.transactionId

/** Equal facts about one withdrawal at the pinned block. */
export const sameWithdrawal: (left: WithdrawalEvidence, right: WithdrawalEvidence) => boolean = Schema.toEquivalence(
  WithdrawalEvidence
)
