/**
 * Whether a solver has refunded an order, and what an oracle then signs (EXEC-8, CLAIM-4).
 *
 * Every input is refunded by one of its options. The payment is at least the option's minimum, adjusted by what was
 * deposited too much or too little; it is more than zero and not later than the option's deadline. Each payment counts
 * once.
 *
 * SECURITY: an option whose minimum is literally 0 requires one smallest unit, so the solver of such an order can keep
 * all of a deposit for one unit. Other services sign such orders, and their oracles attest them. This service never
 * does (`buildOrder`), and `verifyQuote` refuses them. A minimum that only scales to 0 was meant as more, and is
 * refused.
 */
import * as Result from "effect/Result"
import { codecOf } from "../../hub/ChainRef.ts"
import { divTrunc } from "../../money/Rounding.ts"
import type { OrderId, OrderRefund } from "../../order/Order.ts"
import {
  type RefundClaim,
  type RefundEntry,
  refundMessageId,
  type SettlementResult
} from "../../hub/SettlementMessage.ts"
import { configuredChain, type JudgeContext, type JudgedChain, settlementContext } from "./JudgeContext.ts"
import { judgeClaim, type JudgedClaim } from "./JudgeClaim.ts"
import { type JudgedSettlement, SETTLED } from "./JudgeFill.ts"
import { coversAll, type Due, namesOnly, routerOf } from "../Payments.ts"
import { type Refusal, refuse, refusing } from "./Refusal.ts"
import { DIFF_SCALE, diffOf, judgeInputs, type SettledInput } from "./SettledInputs.ts"
import { settlementExecution } from "./SettlementExecution.ts"
import { standingTransaction } from "./StandingTransaction.ts"
import type { Observation, TransactionEvidence } from "../TransactionEvidence.ts"

/**
 * minimumAmount + trunc0(minimumAmount·diff/1e18), in smallest units. Refused when this is zero or less. One unit when
 * the minimum is literally 0.
 */
export const refundDue = (minimumAmount: bigint, diff: bigint): Result.Result<bigint, Refusal> => {
  if (minimumAmount === 0n) return Result.succeed(1n)
  const due = minimumAmount + divTrunc(minimumAmount * diff, DIFF_SCALE)
  return due > 0n ? Result.succeed(due) : refuse("zero-refund")
}

/** The recipient: the option's, or the depositor when that is the native sentinel. */
const recipientOf = (
  chain: JudgedChain,
  option: OrderRefund,
  settled: SettledInput
): Result.Result<string, Refusal> => {
  const codec = codecOf(chain)
  return option.recipient === codec.nativeCurrency
    ? Result.mapError(codec.parse(settled.deposit.depositor), refusing("no-refund-recipient"))
    : Result.succeed(option.recipient)
}

interface Owed {
  readonly evidence: TransactionEvidence
  readonly due: Due
}

const owed = (
  context: JudgeContext,
  id: OrderId,
  entry: RefundEntry,
  settled: SettledInput,
  diff: bigint,
  observations: ReadonlyArray<Observation>
): Result.Result<Owed, Refusal> =>
  Result.gen(function*() {
    const option = settled.input.refunds[entry.refundIndex]
    if (option === undefined) return yield* refuse("unknown-refund", `${entry.refundIndex}`)
    const chain = yield* configuredChain(context, option.chainId)
    const evidence = yield* standingTransaction(observations, chain, entry.transactionId)
    yield* namesOnly(evidence, id)
    if (evidence.block.time > option.deadline) return yield* refuse("late", evidence.transactionId)
    const recipient = yield* recipientOf(chain, option, settled)
    const amount = yield* refundDue(option.minimumAmount, diff)
    return {
      evidence,
      due: { recipient, currency: option.currency, amount, router: routerOf(chain, option.extraData) }
    }
  })

/** `observations`: the transactions of the judged claim, each once, as they were read. */
export const judgeClaimedRefund = (
  context: JudgeContext,
  claim: RefundClaim,
  { id, order }: JudgedClaim,
  observations: ReadonlyArray<Observation>
): Result.Result<JudgedSettlement, Refusal> =>
  Result.gen(function*() {
    const settled = yield* judgeInputs(context, order, id, claim.inputs, observations)
    const diff = yield* diffOf(settled)
    const debts: Array<Owed> = []
    for (const entry of claim.refunds) {
      const input = settled.find((each) => each.entry.inputIndex === entry.inputIndex)
      if (input === undefined) return yield* refuse("missing-entry", `${entry.inputIndex}`)
      debts.push(yield* owed(context, id, entry, input, diff, observations))
    }
    for (const [evidence, group] of Map.groupBy(debts, (debt) => debt.evidence)) {
      yield* coversAll(evidence, group.map(({ due }) => due))
    }
    const result: SettlementResult = { orderId: id, status: SETTLED, totalWeightedInputPaymentBpsDiff: diff }
    const messageId = yield* Result.mapError(
      refundMessageId(settlementContext(context), claim, result),
      refusing("malformed")
    )
    return { result, messageId, execution: yield* settlementExecution(context, order, id, settled, []) }
  })

/** Judges claim and evidence in one call. */
export const judgeRefund = (
  context: JudgeContext,
  claim: RefundClaim,
  observations: ReadonlyArray<Observation>
): Result.Result<JudgedSettlement, Refusal> =>
  Result.flatMap(judgeClaim(context, claim), (judged) => judgeClaimedRefund(context, claim, judged, observations))
