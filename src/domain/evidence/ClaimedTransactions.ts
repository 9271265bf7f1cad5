/** The transactions that a claim rests on. A service reads each of them once before it asks a judge. */
import * as Result from "effect/Result"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { TransactionId } from "../chain/TransactionId.ts"
import type { FillClaim, RefundClaim } from "../hub/SettlementMessage.ts"
import { configuredChain, type JudgeContext } from "./judges/JudgeContext.ts"
import { type Refusal, refuse } from "./judges/Refusal.ts"
import { claimedId } from "./judges/StandingTransaction.ts"

/** A transaction that a claim names. Its id is canonical. */
export interface ClaimedTransaction {
  readonly chain: ChainSlug
  readonly transactionId: TransactionId
}

interface Entry {
  /** Undefined when the entry points beyond the order. Then it is refused with `beyond`. */
  readonly chain: ChainSlug | undefined
  readonly beyond: "extra-entry" | "unknown-refund"
  readonly text: string
}

const entriesOf = (claim: FillClaim | RefundClaim): ReadonlyArray<Entry> => {
  const { inputs, output } = claim.order
  const deposits = claim.inputs.map(({ inputIndex, transactionId }): Entry => ({
    chain: inputs[inputIndex]?.payment.chainId,
    beyond: "extra-entry",
    text: transactionId
  }))
  if ("fill" in claim) {
    return [...deposits, { chain: output.chainId, beyond: "extra-entry", text: claim.fill.transactionId }]
  }
  const refunds = claim.refunds.map(({ inputIndex, refundIndex, transactionId }): Entry => {
    const input = inputs[inputIndex]
    return {
      chain: input?.refunds[refundIndex]?.chainId,
      beyond: input === undefined ? "extra-entry" : "unknown-refund",
      text: transactionId
    }
  })
  return [...deposits, ...refunds]
}

/** Refuses an id that is not of its chain's family, a chain that is not configured, and an entry beyond the order. */
export const claimedTransactions = (
  context: JudgeContext,
  claim: FillClaim | RefundClaim
): Result.Result<ReadonlyArray<ClaimedTransaction>, Refusal> =>
  Result.gen(function*() {
    const claimed = new Map<string, ClaimedTransaction>()
    for (const { beyond, chain: slug, text } of entriesOf(claim)) {
      if (slug === undefined) return yield* refuse(beyond)
      const chain = yield* configuredChain(context, slug)
      const transactionId = yield* claimedId(chain, text)
      claimed.set(`${slug} ${transactionId}`, { chain: slug, transactionId })
    }
    return [...claimed.values()]
  })
