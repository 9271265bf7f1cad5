/**
 * This service's own view of a claim (EXEC-10): the same evidence and the same judges as an oracle's, so that the
 * oracles' executions can be compared with the right ones byte by byte.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { findChainBySlug } from "../../domain/chain/Chain.ts"
import { claimedTransactions } from "../../domain/evidence/ClaimedTransactions.ts"
import { judgeDeposits } from "../../domain/evidence/judges/JudgeDeposits.ts"
import { judgeFill } from "../../domain/evidence/judges/JudgeFill.ts"
import { judgeRefund } from "../../domain/evidence/judges/JudgeRefund.ts"
import { isNotYet, Refusal } from "../../domain/evidence/judges/Refusal.ts"
import type { SettlingClaims } from "../../domain/hub/settling/Claims.ts"
import type { Execution } from "../../domain/hub/Execution.ts"
import type { FillClaim, RefundClaim } from "../../domain/hub/SettlementMessage.ts"
import type { Claim } from "../../../ports/hub/Oracles.ts"
import { makeJudgeContext } from "../attesting/JudgingContext.ts"

/** An execution that oracles are to sign, and the claim that they have to judge for it. */
export interface Expected {
  readonly claim: Claim
  readonly execution: Execution
}

/** First the mint of all deposits of the transaction, then the move of the deposit to the solver. */
export interface ExpectedSettlement {
  readonly mint: Expected
  readonly settlement: Expected
}

/** Fails with the judges' `Refusal`, or because a chain cannot be read now. */
export const expectedSettlement = Effect.fnUntraced(function*({ deposit, settlement }: SettlingClaims) {
  const { all } = yield* Chains
  const observer = yield* ChainObserver
  const context = yield* makeJudgeContext
  const [claim] = settlement
  // A refund that a fill may count as depends on the same transactions.
  const claimed = yield* Effect.fromResult(claimedTransactions(context, claim))
  const seen = (yield* Effect.forEach([...Map.groupBy(claimed, ({ chain }) => chain)], ([slug, transactions]) => {
    const chain = findChainBySlug(all, slug)
    return chain === undefined
      ? Effect.succeed([])
      : observer.observe(chain, transactions.map(({ transactionId }) => transactionId))
  }, { concurrency: "unbounded" })).flat()
  const { execution: mint } = yield* Effect.fromResult(judgeDeposits(context, deposit, seen))
  if (mint === undefined) return yield* new Refusal({ reason: "no-deposit", detail: deposit.transactionId })
  const judge = (each: FillClaim | RefundClaim) =>
    "fill" in each ? judgeFill(context, each, seen) : judgeRefund(context, each, seen)
  let refused: Refusal | undefined
  for (const each of settlement) {
    const judged = judge(each)
    if (Result.isSuccess(judged)) {
      return {
        mint: { claim: deposit, execution: mint },
        settlement: { claim: each, execution: judged.success.execution }
      } satisfies ExpectedSettlement
    }
    // A claim that is not final yet is waited for before another is tried.
    if (isNotYet(judged.failure)) return yield* judged.failure
    refused ??= judged.failure
  }
  return yield* refused ?? new Refusal({ reason: "unread", detail: deposit.transactionId })
})
