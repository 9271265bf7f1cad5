/**
 * What a chain shows about one withdrawal from a depository, at the pinned final block (EVIDENCE-4).
 *
 * `Unused` is a fact of a block that was read, never the result of a failed read. Whether an unused withdrawal can
 * still be executed is decided by the judge, not the reader.
 */
import * as Schema from "effect/Schema"
import { ChainSlug } from "../../chain/ChainId.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import type { FamilyRules } from "../../families/FamilyRules.ts"
import type { TransactionEvidence } from "../TransactionEvidence.ts"

/** The chain has executed the withdrawal. */
const Executed = Schema.TaggedStruct("Executed", {
  /** Transactions known to have executed it: those that were asked for and verified, or found while reading. */
  transactionIds: Schema.Array(TransactionId)
})

/** Not executed as of a final block. Times in whole seconds since 1970. */
const Unused = Schema.TaggedStruct("Unused", {
  /** Time of the pinned final block at which the withdrawal was looked up. */
  finalTime: Schema.Int,
  /** Time of the chain's pinned head: the greatest that a quorum of endpoints has reached. */
  headTime: Schema.Int,
  /** The expiration that the chain itself reports, rounded up. For families whose withdrawals do not contain it. */
  expiresAt: Schema.optionalKey(Schema.Int)
})

/** It can never be executed: its inputs were spent otherwise, or the chain has rejected it. */
const SpentOtherwise = Schema.TaggedStruct("SpentOtherwise", {})

/** What a chain shows of one withdrawal at a final block. */
export const WithdrawalEvidence = Schema.Struct({
  chain: ChainSlug,
  /** The withdrawal that was looked up, in its canonical encoding. */
  withdrawal: Hex,
  withdrawalId: Hex32,
  state: Schema.Union([Executed, Unused, SpentOtherwise])
})
export type WithdrawalEvidence = typeof WithdrawalEvidence.Type

/** True when a final transaction shows the execution, but the read of the withdrawal did not find it. */
export const missesTransaction = (
  { state, withdrawalId }: WithdrawalEvidence,
  { withdrawals }: TransactionEvidence
): boolean => state._tag === "Unused" && withdrawals?.includes(withdrawalId) === true

/**
 * The evidence with status executed by this transaction, in families where a transaction proves it. Undefined in
 * others, where only the read of the withdrawal counts.
 */
export const provenBy = (
  evidence: WithdrawalEvidence,
  { transactionId }: TransactionEvidence,
  { provesByTransaction }: Pick<FamilyRules, "provesByTransaction">
): WithdrawalEvidence | undefined =>
  provesByTransaction
    ? { ...evidence, state: { _tag: "Executed", transactionIds: [transactionId] } }
    : undefined

/**
 * The evidence with a transaction that executed the withdrawal added. Unchanged when the transaction did not execute
 * it.
 */
export const withTransaction = (
  evidence: WithdrawalEvidence,
  { transactionId, withdrawals }: TransactionEvidence
): WithdrawalEvidence =>
  evidence.state._tag === "Executed" && withdrawals?.includes(evidence.withdrawalId) === true
    ? { ...evidence, state: { ...evidence.state, transactionIds: [...evidence.state.transactionIds, transactionId] } }
    : evidence
