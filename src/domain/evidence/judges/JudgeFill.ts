/**
 * Whether a solver has filled an order, and what an oracle then signs (EXEC-8, CLAIM-3).
 *
 * All transactions are final and successful, every input has exactly one deposit, every output is paid in time, and the
 * calls are made in order. Not provable here: a solver can claim a second deposit of an order with the fill of the
 * first one.
 */
import * as Result from "effect/Result"
import type { Hex32 } from "../../encoding/Hex.ts"
import type { OrderId, OrderOutput } from "../../order/Order.ts"
import type { Execution } from "../../hub/Execution.ts"
import { type FillClaim, fillMessageId, type SettlementResult } from "../../hub/SettlementMessage.ts"
import { configuredChain, type JudgeContext, settlementContext } from "./JudgeContext.ts"
import { judgeClaim, type JudgedClaim } from "./JudgeClaim.ts"
import { coversAll, namesOnly, routerOf } from "../Payments.ts"
import { type Refusal, refuse, refusing } from "./Refusal.ts"
import { executesInOrder } from "./RouterCalls.ts"
import { diffOf, judgeInputs } from "./SettledInputs.ts"
import { settlementExecution } from "./SettlementExecution.ts"
import { standingTransaction } from "./StandingTransaction.ts"
import type { Observation } from "../TransactionEvidence.ts"

/** What an oracle signs about a fill or a refund. */
export interface JudgedSettlement {
  readonly result: SettlementResult
  /** Signed by EIP-191 over its raw bytes. */
  readonly messageId: Hex32
  /** Signed by the hub's EIP-712 domain. */
  readonly execution: Execution
}

/** The status of an order that was filled or refunded. */
export const SETTLED = 1

const judgePayment = (
  context: JudgeContext,
  id: OrderId,
  output: OrderOutput,
  transactionId: string,
  observations: ReadonlyArray<Observation>
): Result.Result<void, Refusal> =>
  Result.gen(function*() {
    const chain = yield* configuredChain(context, output.chainId)
    const evidence = yield* standingTransaction(observations, chain, transactionId)
    yield* namesOnly(evidence, id)
    if (evidence.block.time > output.deadline) return yield* refuse("late", evidence.transactionId)
    const router = routerOf(chain, output.extraData)
    yield* coversAll(
      evidence,
      output.payments.map(({ currency, minimumAmount, recipient }) => ({
        recipient,
        currency,
        amount: minimumAmount,
        router
      }))
    )
    return yield* executesInOrder(evidence, router, output.calls)
  })

/** `observations`: the transactions of the judged claim, each once, as they were read. */
export const judgeClaimedFill = (
  context: JudgeContext,
  claim: FillClaim,
  { id, order }: JudgedClaim,
  observations: ReadonlyArray<Observation>
): Result.Result<JudgedSettlement, Refusal> =>
  Result.gen(function*() {
    const settled = yield* judgeInputs(context, order, id, claim.inputs, observations)
    const diff = yield* diffOf(settled)
    yield* judgePayment(context, id, order.output, claim.fill.transactionId, observations)
    const result: SettlementResult = { orderId: id, status: SETTLED, totalWeightedInputPaymentBpsDiff: diff }
    const messageId = yield* Result.mapError(
      fillMessageId(settlementContext(context), claim, result),
      refusing("malformed")
    )
    return { result, messageId, execution: yield* settlementExecution(context, order, id, settled, order.fees) }
  })

/** Judges claim and evidence in one call. */
export const judgeFill = (
  context: JudgeContext,
  claim: FillClaim,
  observations: ReadonlyArray<Observation>
): Result.Result<JudgedSettlement, Refusal> =>
  Result.flatMap(judgeClaim(context, claim), (judged) => judgeClaimedFill(context, claim, judged, observations))
