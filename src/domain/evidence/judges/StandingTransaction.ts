/**
 * A transaction that a claim may rest on: it was read, is on the chain that the claim needs, succeeded, and is final.
 *
 * SECURITY: the only way from observations to evidence. Every judge uses it, so no fact of a reverted or reversible
 * transaction is ever attested.
 */
import * as Result from "effect/Result"
import { parseTransactionId, type TransactionId } from "../../chain/TransactionId.ts"
import type { JudgedChain } from "./JudgeContext.ts"
import { Refusal, refuse, refusing } from "./Refusal.ts"
import type { Observation, TransactionEvidence } from "../TransactionEvidence.ts"

/** The canonical form of a claimed transaction id, given in any accepted spelling. */
export const claimedId = (chain: JudgedChain, text: string): Result.Result<TransactionId, Refusal> =>
  Result.mapError(parseTransactionId(chain.family, text), refusing("malformed"))

const notFinal = (seen: { readonly confirmations: number; readonly needed: number }, detail: string): Refusal =>
  new Refusal({ reason: "not-final", detail, confirmations: seen.confirmations, needed: seen.needed })

/** The evidence of the claimed transaction, or why the claim cannot rest on it. */
export const standingTransaction = (
  observations: ReadonlyArray<Observation>,
  chain: JudgedChain,
  text: string
): Result.Result<TransactionEvidence, Refusal> => {
  const claimed = claimedId(chain, text)
  if (Result.isFailure(claimed)) return Result.fail(claimed.failure)
  const id = claimed.success
  const named = observations.filter((seen) => seen.transactionId === id)
  const seen = named.find((each) => each.chain === chain.slug)
  if (seen === undefined) return refuse(named.length > 0 ? "wrong-chain" : "unread", id)
  if (seen._tag === "Absent") return refuse("not-found", id)
  // Finality first: a failure in a reversible block may be undone, too.
  if (seen.finality._tag !== "Final") return Result.fail(notFinal(seen.finality, id))
  if (seen.outcome !== "succeeded") return refuse("reverted", id)
  if (seen.unattestable !== undefined) return refuse("malformed", seen.unattestable)
  // Times are hashed as whole seconds, so they must be whole, wherever the evidence comes from.
  if (!Number.isSafeInteger(seen.block.time) || seen.block.time < 0) return refuse("malformed", "block time")
  return Result.succeed(seen)
}
