/**
 * The deposits that a fill or a refund settles: exactly one for every input of the order (CLAIM-1), and what they paid
 * compared with what the order requested (CLAIM-2).
 *
 * Guarantee: the idempotency key is made of exactly the deposits that are found here.
 */
import * as Result from "effect/Result"
import { isInt256 } from "../../encoding/StructHash.ts"
import type { Order, OrderId, OrderInput } from "../../order/Order.ts"
import { divTrunc } from "../../money/Rounding.ts"
import { onchainId } from "../../hub/ProtocolId.ts"
import type { InputEntry } from "../../hub/SettlementMessage.ts"
import { configuredChain, type JudgeContext, type JudgedChain } from "./JudgeContext.ts"
import { depositsInto } from "./JudgeDeposits.ts"
import { type Refusal, refuse } from "./Refusal.ts"
import { standingTransaction } from "./StandingTransaction.ts"
import type { DepositEvidence, Observation } from "../TransactionEvidence.ts"

/** An input of the order with the deposit that was proven for it. */
export interface SettledInput {
  readonly entry: InputEntry
  readonly input: OrderInput
  readonly chain: JudgedChain
  readonly deposit: DepositEvidence
  /** Time of the deposit's block, in seconds. */
  readonly timestamp: number
}

/** Refuses entries that do not match the order's inputs one to one. Used for deposits and refunds. */
export const oneEntryEach = (
  order: Order,
  entries: ReadonlyArray<{ readonly inputIndex: number }>
): Result.Result<void, Refusal> => {
  const seen = new Set<number>()
  for (const { inputIndex } of entries) {
    if (seen.has(inputIndex) || order.inputs[inputIndex] === undefined) return refuse("extra-entry", `${inputIndex}`)
    seen.add(inputIndex)
  }
  return seen.size === order.inputs.length ? Result.succeed(undefined) : refuse("missing-entry")
}

const settledInput = (
  context: JudgeContext,
  id: OrderId,
  input: OrderInput,
  entry: InputEntry,
  observations: ReadonlyArray<Observation>
): Result.Result<SettledInput, Refusal> =>
  Result.gen(function*() {
    const chain = yield* configuredChain(context, input.payment.chainId)
    const evidence = yield* standingTransaction(observations, chain, entry.transactionId)
    const deposits = yield* depositsInto(chain, evidence)
    const deposit = deposits.find((each) =>
      onchainId(chain.slug, evidence.transactionId, each.index) === entry.onchainId
    )
    if (deposit === undefined) return yield* refuse("no-deposit", entry.onchainId)
    if (deposit.depositId !== id) return yield* refuse("wrong-order-id", entry.onchainId)
    if (deposit.currency !== input.payment.currency) return yield* refuse("wrong-currency", entry.onchainId)
    return { entry, input, chain, deposit, timestamp: evidence.block.time }
  })

/** One deposit per input, in the order of the entries. Order, id and entries are those of a judged claim. */
export const judgeInputs = (
  context: JudgeContext,
  order: Order,
  id: OrderId,
  entries: ReadonlyArray<InputEntry>,
  observations: ReadonlyArray<Observation>
): Result.Result<ReadonlyArray<SettledInput>, Refusal> =>
  Result.gen(function*() {
    const settled: Array<SettledInput> = []
    for (const entry of entries) {
      const input = order.inputs[entry.inputIndex]
      if (input === undefined) return yield* refuse("extra-entry", `${entry.inputIndex}`)
      settled.push(yield* settledInput(context, id, input, entry, observations))
    }
    return settled
  })

/** The scale of a difference: 1e18 is the whole requested amount. */
export const DIFF_SCALE = 10n ** 18n

/**
 * (Σ paid·weight − Σ requested·weight)·1e18 / Σ requested·weight, truncated toward zero. Refuses a denominator of zero,
 * and a difference that does not fit int256.
 */
export const weightedDiff = (
  inputs: ReadonlyArray<{ readonly paid: bigint; readonly requested: bigint; readonly weight: bigint }>
): Result.Result<bigint, Refusal> => {
  let paid = 0n
  let requested = 0n
  for (const input of inputs) {
    paid += input.paid * input.weight
    requested += input.requested * input.weight
  }
  if (requested === 0n) return refuse("zero-weight")
  const diff = divTrunc((paid - requested) * DIFF_SCALE, requested)
  return isInt256(diff) ? Result.succeed(diff) : refuse("malformed", "the difference is no int256")
}

/** The weighted difference between the deposited and the requested amounts. */
export const diffOf = (settled: ReadonlyArray<SettledInput>): Result.Result<bigint, Refusal> =>
  weightedDiff(settled.map(({ deposit, input }) => ({
    paid: deposit.amount,
    requested: input.payment.amount,
    weight: input.payment.weight
  })))
