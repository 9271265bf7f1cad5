/**
 * Laws of the judges (CLAIM-1): true claims are attested, false ones refused, nothing is counted twice, and irrelevant
 * facts change nothing.
 *
 * `judgeLaws(judges)` checks any implementation of the three judges of transactions, with random worlds of all families
 * and stand-in signatures.
 */
import { families } from "../src/domain/families/index.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { Refusal } from "../src/domain/evidence/judges/Refusal.ts"
import type { Observation, PaymentEvidence } from "../src/domain/evidence/TransactionEvidence.ts"
import type { JudgedSettlement } from "../src/domain/evidence/judges/JudgeFill.ts"
import type { FillClaim } from "../src/domain/hub/SettlementMessage.ts"
import { parseTransactionId } from "../src/domain/chain/TransactionId.ts"
import { account, currency, respelled, slug, standInContext, standInSigner, word } from "./EvidenceChains.ts"
import { withAnotherLeaf } from "./EvidenceDamage.ts"
import { anyPlan } from "./EvidencePlans.ts"
import { fillTransaction, foreignRouter, makeWorld, payment, type World, type WorldPlan } from "./EvidenceWorld.ts"
import { type Law, law, must } from "./Law.ts"
import { type Judges, negativeCases, verdictOf, worldOf } from "./NegativeSuite.ts"

const solver = standInSigner(1)
const world = (plan: WorldPlan): World => makeWorld(plan, solver)
const anyWorld = anyPlan.map(world)

const reasonOf = (verdict: Result.Result<unknown, Refusal>): string =>
  Result.isFailure(verdict) ? verdict.failure.reason : "accepted"

/** diff is Δ·1e18/requested truncated toward zero, checked without dividing. */
const isTruncatedDiff = (plan: WorldPlan, diff: bigint): boolean => {
  const requested = plan.inputs.reduce((sum, each) => sum + each.requested * each.weight, 0n)
  const change = plan.inputs.reduce((sum, each) => sum + (each.paid - each.requested) * each.weight, 0n) * 10n ** 18n
  const size = diff < 0n ? -diff : diff
  const whole = change < 0n ? -change : change
  const signed = diff === 0n || (diff < 0n) === (change < 0n)
  return signed && size * requested <= whole && whole < (size + 1n) * requested
}

/** Adds facts that are unrelated to the claim to a transaction. */
const withNoise = (of: World, observation: Observation): Observation => {
  if (observation._tag === "Absent") return observation
  const { destination, origin } = of.plan
  const family = observation.transactionId === fillTransaction(of.plan) && observation.chain === slug(destination)
    ? destination
    : origin
  const stranger = {
    depository: account(family, 97),
    depositId: of.id,
    depositor: account(family, 96),
    currency: currency(family, 0),
    amount: 1n
  }
  const paid: PaymentEvidence = { ...payment(family, account(family, 95), 0, 5n), through: { _tag: "Direct" } }
  const call = { router: foreignRouter(family), to: account("ethereum-vm", 94), data: of.id, value: 0n }
  return {
    ...observation,
    deposits: [{ ...stranger, index: 0 }, ...observation.deposits, { ...stranger, index: 9_999 }],
    payments: [paid, ...observation.payments],
    routerCalls: [call, ...observation.routerCalls, call]
  }
}

const noisy = (of: World): World => ({ ...of, observations: of.observations.map((seen) => withNoise(of, seen)) })

const settled = (verdict: Result.Result<JudgedSettlement, Refusal>): JudgedSettlement => {
  must(Result.isSuccess(verdict), `refused: ${reasonOf(verdict)}`)
  return Result.getOrThrow(verdict)
}

const anyCase = fc.constantFrom(...negativeCases)

/** Arbitrary payments of a fill: correct, too little, missing, split and repeated ones. */
const anyPayments = (plan: WorldPlan): fc.Arbitrary<ReadonlyArray<PaymentEvidence>> =>
  fc.array(
    fc.record({
      recipient: fc.integer({ min: 40, max: 42 }),
      currency: fc.integer({ min: 0, max: 1 }),
      amount: fc.oneof(
        fc.constantFrom(...plan.payments.map(({ minimum }) => minimum)),
        fc.bigInt({ min: 1n, max: 1n << 129n })
      )
    }).map((each) => payment(plan.destination, account(plan.destination, each.recipient), each.currency, each.amount)),
    { maxLength: 5 }
  )

const totalOf = (
  list: ReadonlyArray<{ readonly recipient: string; readonly currency: string; readonly amount: bigint }>,
  recipient: string,
  paidIn: string
): bigint =>
  list.reduce((sum, each) => each.recipient === recipient && each.currency === paidIn ? sum + each.amount : sum, 0n)

const permuted = <A>(list: ReadonlyArray<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.shuffledSubarray([...list], { minLength: list.length })

/** The laws of the judges of deposits, fills and refunds (CLAIM-1). */
export const judgeLaws = (judges: Judges): ReadonlyArray<Law> => [
  law(
    "a true fill is attested, its difference truncated toward zero",
    fc.property(anyWorld, (right) => {
      const { execution, result } = settled(judges.judgeFill(standInContext, right.fill, right.observations))
      must(result.orderId === right.id && result.status === 1, "another order")
      must(isTruncatedDiff(right.plan, result.totalWeightedInputPaymentBpsDiff), "another difference")
      must(execution.actions.length === right.plan.inputs.length + right.plan.fees, "a transfer a deposit and a fee")
    })
  ),
  law(
    "a true refund is attested, with the fill's difference and its key",
    fc.property(anyWorld, (right) => {
      const refund = settled(judges.judgeRefund(standInContext, right.refund, right.observations))
      const fill = settled(judges.judgeFill(standInContext, right.fill, right.observations))
      must(isTruncatedDiff(right.plan, refund.result.totalWeightedInputPaymentBpsDiff), "another difference")
      must(refund.execution.idempotencyKey === fill.execution.idempotencyKey, "one set of deposits settles once")
      must(refund.messageId !== fill.messageId, "a refund is no fill")
      must(refund.execution.actions.length === right.plan.inputs.length, "a transfer a deposit, no fee")
    })
  ),
  law(
    "a claim with one fact spoiled is refused for that fact",
    fc.property(anyPlan, anyCase, (plan, negative) => {
      const right = worldOf(negative, plan, world)
      if (right === undefined) return
      must(
        reasonOf(verdictOf(judges, standInContext, negative.of, right)) === "accepted",
        `${negative.name}: the right world is refused`
      )
      const reason = reasonOf(verdictOf(judges, standInContext, negative.of, negative.spoil(right)))
      must(reason === negative.refusal, `${negative.name}: ${reason} instead of ${negative.refusal}`)
    })
  ),
  law(
    "unrelated logs change neither a verdict nor a refusal",
    fc.property(anyPlan, anyCase, (plan, negative) => {
      const right = worldOf(negative, plan, world)
      if (right === undefined) return
      const before = verdictOf(judges, standInContext, negative.of, right)
      const after = verdictOf(judges, standInContext, negative.of, noisy(right))
      must(
        reasonOf(after) === "accepted" && JSON.stringify(before, bigints) === JSON.stringify(after, bigints),
        "a verdict changed"
      )
      const spoiled = negative.spoil(right)
      must(
        reasonOf(verdictOf(judges, standInContext, negative.of, noisy(spoiled))) === negative.refusal,
        `${negative.name}: noise changed the refusal`
      )
    })
  ),
  law(
    "a fill is paid exactly when every recipient got the sum of what it is due in a currency",
    fc.property(anyPlan.chain((plan) => fc.tuple(fc.constant(plan), anyPayments(plan))), ([plan, payments]) => {
      const right = world(plan)
      const made: World = {
        ...right,
        observations: right.observations.map((seen) =>
          seen._tag === "Transaction" && seen.transactionId === fillTransaction(plan) &&
            seen.chain === slug(plan.destination)
            ? { ...seen, payments }
            : seen
        )
      }
      const dues = right.order.output.payments.map((due) => ({ ...due, amount: due.minimumAmount }))
      const covered = dues.every((due) =>
        totalOf(payments, due.recipient, due.currency) >= totalOf(dues, due.recipient, due.currency)
      )
      const reason = reasonOf(judges.judgeFill(standInContext, made.fill, made.observations))
      must(reason === (covered ? "accepted" : "underpaid"), `${reason}, covered: ${covered}`)
    })
  ),
  law(
    "a judge is total: whatever one leaf of evidence or claim becomes, it answers, and never for another order",
    fc.property(anyWorld, fc.boolean(), fc.nat(), fc.nat(59), (right, ofClaim, leaf, how) => {
      const world: World = ofClaim
        ? { ...right, fill: withAnotherLeaf(right.fill, leaf, how), refund: withAnotherLeaf(right.refund, leaf, how) }
        : { ...right, observations: withAnotherLeaf(right.observations, leaf, how) }
      for (
        const verdict of [
          judges.judgeFill(standInContext, world.fill, world.observations),
          judges.judgeRefund(standInContext, world.refund, world.observations)
        ]
      ) must(Result.isFailure(verdict) || verdict.success.result.orderId === right.id, "another order is attested")
      verdictOf(judges, standInContext, "deposit", world)
    })
  ),
  law(
    "the order of the entries changes neither key nor difference, and transfers the same",
    fc.property(
      anyWorld.chain((right) =>
        fc.tuple(
          fc.constant(right),
          permuted(right.fill.inputs),
          permuted(right.refund.refunds),
          permuted(right.observations)
        )
      ),
      ([right, inputs, refunds, observations]) => {
        for (
          const [before, after] of [
            [
              judges.judgeFill(standInContext, right.fill, right.observations),
              judges.judgeFill(standInContext, { ...right.fill, inputs }, observations)
            ],
            [
              judges.judgeRefund(standInContext, right.refund, right.observations),
              judges.judgeRefund(standInContext, { ...right.refund, inputs, refunds }, observations)
            ]
          ] as const
        ) {
          const [one, other] = [settled(before), settled(after)]
          must(one.execution.idempotencyKey === other.execution.idempotencyKey, "another key")
          must(
            one.result.totalWeightedInputPaymentBpsDiff === other.result.totalWeightedInputPaymentBpsDiff,
            "another difference"
          )
          must(
            JSON.stringify(one.execution.actions.toSorted()) === JSON.stringify(other.execution.actions.toSorted()),
            "other transfers"
          )
        }
      }
    )
  ),
  law(
    "another spelling of a transaction id gives the same message and execution",
    fc.property(anyWorld, (right) => {
      const { destination, origin } = right.plan
      const again = (family: typeof origin, text: string) =>
        respelled(family, Result.getOrThrow(parseTransactionId(families[family], text)))
      const fill: FillClaim = {
        ...right.fill,
        inputs: right.fill.inputs.map((entry) => ({ ...entry, transactionId: again(origin, entry.transactionId) })),
        fill: { transactionId: again(destination, right.fill.fill.transactionId) }
      }
      const one = settled(judges.judgeFill(standInContext, right.fill, right.observations))
      const other = settled(judges.judgeFill(standInContext, fill, right.observations))
      must(JSON.stringify(one, bigints) === JSON.stringify(other, bigints), "another attestation")
    })
  ),
  law(
    "the deposits of a transaction have a message and a mint each, in their order, whatever else it holds",
    fc.property(anyWorld, fc.boolean(), (right, named) => {
      const { origin } = right.plan
      const observations = right.observations.map((seen) =>
        seen._tag === "Absent"
          ? seen
          : { ...seen, deposits: seen.deposits.map((each) => named ? each : { ...each, depositId: word(0) }) }
      )
      const claim = { chainId: slug(origin), transactionId: right.fill.inputs[0]?.transactionId ?? "" }
      const judged = Result.getOrThrow(
        judges.judgeDeposits(standInContext, claim, noisy({ ...right, observations }).observations)
      )
      const amounts = judged.deposits.map(({ message }) => message.amount)
      const planned = right.plan.inputs.map((input) => input.paid)
      const expected = right.plan.together ? planned : planned.slice(0, 1)
      must(JSON.stringify(amounts, bigints) === JSON.stringify(expected, bigints), "other amounts")
      must(judged.execution?.actions.length === expected.length, "a mint a deposit")
      must(new Set(judged.deposits.map(({ messageId }) => messageId)).size === expected.length, "a message a deposit")
    })
  )
]

const bigints = (_key: string, value: unknown): unknown => typeof value === "bigint" ? `${value}n` : value
