/**
 * Which transactions a claim rests on: what a service reads, each once, before it asks a judge.
 */
import * as Result from "effect/Result"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { FillClaim, RefundClaim } from "../settlement/SettlementMessage.ts"
import { configuredChain, type JudgeContext } from "./JudgeContext.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { claimedId } from "./StandingTransaction.ts"

export interface ClaimedTransaction {
  readonly chain: ChainSlug
  readonly transactionId: TransactionId
}

/** Chain and text of every entry; a chain is undefined where the entry points beyond the order. */
const entriesOf = (claim: FillClaim | RefundClaim): ReadonlyArray<readonly [ChainSlug | undefined, string]> => {
  const { inputs, output } = claim.order
  const deposits = claim.inputs.map((entry) => [inputs[entry.inputIndex]?.payment.chainId, entry.transactionId] as const)
  const payments = "fill" in claim
    ? [[output.chainId, claim.fill.transactionId] as const]
    : claim.refunds.map((entry) =>
      [inputs[entry.inputIndex]?.refunds[entry.refundIndex]?.chainId, entry.transactionId] as const)
  return [...deposits, ...payments]
}

/** Refuses an id that is none of its chain's family, a chain that is not configured, and an entry beyond the order. */
export const claimedTransactions = (
  context: JudgeContext,
  claim: FillClaim | RefundClaim
): Result.Result<ReadonlyArray<ClaimedTransaction>, Refusal> =>
  Result.gen(function*() {
    const claimed = new Map<string, ClaimedTransaction>()
    for (const [slug, text] of entriesOf(claim)) {
      if (slug === undefined) return yield* refuse("extra-entry")
      const chain = yield* configuredChain(context, slug)
      const transactionId = yield* claimedId(chain, text)
      claimed.set(`${slug} ${transactionId}`, { chain: slug, transactionId })
    }
    return [...claimed.values()]
  })
