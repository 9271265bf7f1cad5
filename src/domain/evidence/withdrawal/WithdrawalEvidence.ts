/**
 * What a chain shows about one withdrawal from a depository, at the pinned final block (EVIDENCE-4).
 *
 * `Unused` is a fact of a block that was read, never of a read that failed. Whether an unused
 * withdrawal can still be executed is the judge's to say, not the reader's.
 */
import * as Schema from "effect/Schema"
import { ChainSlug } from "../../chain/ChainId.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import type { VmFamily } from "../../chain/VmFamily.ts"
import type { TransactionEvidence } from "../TransactionEvidence.ts"

/** The chain did what the withdrawal says. */
const Executed = Schema.TaggedStruct("Executed", {
  /** The transactions that are known to have done it: those asked for and verified, or found on the way. */
  transactionIds: Schema.Array(TransactionId)
})

/** Not executed at a final block. Times in whole seconds since 1970. */
const Unused = Schema.TaggedStruct("Unused", {
  /** Time of the pinned final block at which the withdrawal was looked for. */
  finalTime: Schema.Int,
  /** Time of the chain's head, as pinned: the greatest that a quorum of endpoints has reached. */
  headTime: Schema.Int,
  /** When the chain itself says it expires, rounded up; for families whose withdrawals do not say it. */
  expiresAt: Schema.optionalKey(Schema.Int)
})

/** It can never be executed any more: its inputs went elsewhere, or the chain has rejected it. */
const SpentOtherwise = Schema.TaggedStruct("SpentOtherwise", {})

export const WithdrawalEvidence = Schema.Struct({
  chain: ChainSlug,
  /** The withdrawal that was looked for, in its one encoding. */
  withdrawal: Hex,
  withdrawalId: Hex32,
  state: Schema.Union([Executed, Unused, SpentOtherwise])
})
export type WithdrawalEvidence = typeof WithdrawalEvidence.Type

/**
 * Families whose accounts list their newest transactions only: there a transaction that executed a withdrawal is proof
 * enough of it.
 */
const provenByTransaction: ReadonlySet<VmFamily> = new Set<VmFamily>(["exchangea-vm", "exchangeb-vm"])

/** True when a final transaction shows what the reading of the withdrawal itself did not find. */
export const missesTransaction = (
  { state, withdrawalId }: WithdrawalEvidence,
  { withdrawals }: TransactionEvidence
): boolean => state._tag === "Unused" && withdrawals?.includes(withdrawalId) === true

/** The same, executed by that transaction, where such a one proves it; undefined where the reading must know better. */
export const provenBy = (
  evidence: WithdrawalEvidence,
  { transactionId }: TransactionEvidence,
  family: VmFamily
): WithdrawalEvidence | undefined =>
  provenByTransaction.has(family)
    ? { ...evidence, state: { _tag: "Executed", transactionIds: [transactionId] } }
    : undefined

/** The same with a transaction that was seen to have done it; unchanged when that one did not. */
export const withTransaction = (
  evidence: WithdrawalEvidence,
  { transactionId, withdrawals }: TransactionEvidence
): WithdrawalEvidence =>
  evidence.state._tag === "Executed" && withdrawals?.includes(evidence.withdrawalId) === true
    ? { ...evidence, state: { ...evidence.state, transactionIds: [...evidence.state.transactionIds, transactionId] } }
    : evidence
