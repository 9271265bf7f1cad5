/**
 * What can be judged of a fill or a refund before any chain is asked (CLAIM-1): the order and its solver's signature,
 * the entries, the ids, and which transactions the claim rests on.
 *
 * Everybody who may ask an oracle can send claims. One that cannot hold is refused here, so that it costs no reading.
 */
import * as Result from "effect/Result"
import type { FillClaim, RefundClaim } from "../../hub/SettlementMessage.ts"
import { type ClaimedTransaction, claimedTransactions } from "../ClaimedTransactions.ts"
import type { JudgeContext } from "./JudgeContext.ts"
import { type JudgedOrder, judgeOrder } from "./JudgedOrder.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { oneEntryEach } from "./SettledInputs.ts"

/** A claim whose evidence may be read. Made by `judgeClaim` alone. */
export interface JudgedClaim extends JudgedOrder {
  /** Each once. */
  readonly transactions: ReadonlyArray<ClaimedTransaction>
}

/** Refuses a claim that no evidence can make hold. */
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
    // Last, because it is the dearest.
    const { id, order } = yield* judgeOrder(context, claim.order, claim.orderSignature)
    return { id, order, transactions }
  })
