/**
 * The part of a fill or refund claim that can be judged before any chain is read (CLAIM-1): the order and its solver's
 * signature, the entries, the ids, and the transactions that the claim rests on.
 *
 * Everybody who may query an oracle can send claims. Impossible claims are refused here, so that they cost no reads.
 */
import * as Result from "effect/Result"
import type { FillClaim, RefundClaim } from "../../hub/SettlementMessage.ts"
import { type ClaimedTransaction, claimedTransactions } from "../ClaimedTransactions.ts"
import type { JudgeContext } from "./JudgeContext.ts"
import { type JudgedOrder, judgeOrder } from "./JudgedOrder.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { oneEntryEach } from "./SettledInputs.ts"

/** A claim whose evidence may be read. Only `judgeClaim` makes these. */
export interface JudgedClaim extends JudgedOrder {
  /** Without duplicates. */
  readonly transactions: ReadonlyArray<ClaimedTransaction>
}

/** Refuses a claim that no evidence can prove. */
export const judgeClaim = (
  context: JudgeContext,
  claim: FillClaim | RefundClaim
): Result.Result<JudgedClaim, Refusal> =>
  Result.gen(function*() {
    yield* new Set(claim.inputs.map(({ onchainId }) => onchainId)).size === claim.inputs.length
      ? Result.void
      : refuse("duplicate-onchain-id")
    yield* oneEntryEach(claim.order, claim.inputs)
    if ("refunds" in claim) yield* oneEntryEach(claim.order, claim.refunds)
    const transactions = yield* claimedTransactions(context, claim)
    // Last, because it is the most expensive check.
    const { id, order } = yield* judgeOrder(context, claim.order, claim.orderSignature)
    return { id, order, transactions }
  })
