/**
 * When two endpoints have said the same: what the quorum compares by.
 *
 * Final facts are equal member by member, time and order included. What is not final is no fact yet,
 * so endpoints that know more or less of it do not disagree: nothing is signed on either.
 */
import * as Schema from "effect/Schema"
import { Observation } from "./TransactionEvidence.ts"
import { WithdrawalEvidence } from "./withdrawal/WithdrawalEvidence.ts"

const identical = Schema.toEquivalence(Observation)

/** True for a fact: what is not final is none yet. */
export const isFinal = (seen: Observation): boolean => seen._tag === "Transaction" && seen.finality._tag === "Final"

/** True for a fact that every later reading will find the same: nothing about it may still come. */
export const isLasting = (seen: Observation): boolean =>
  isFinal(seen) && seen._tag === "Transaction" && (seen.mappedBy === undefined || seen.mappedBy.graceLeft === 0)

/** Equal facts of one transaction, or no fact yet on both sides. */
export const sameObservation = (left: Observation, right: Observation): boolean =>
  isFinal(left) || isFinal(right)
    ? identical(left, right)
    : left.chain === right.chain && left.transactionId === right.transactionId

/** Equal facts of one withdrawal at the pinned block. */
export const sameWithdrawal: (left: WithdrawalEvidence, right: WithdrawalEvidence) => boolean = Schema.toEquivalence(
  WithdrawalEvidence
)
