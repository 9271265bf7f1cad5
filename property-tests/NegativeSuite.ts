/**
 * What no family may ever attest, as data: a valid world, one changed fact of it, and the refusal.
 *
 * A family's own suite encodes the facts of `observations` as its raw bytes, decodes them again and runs `verdictOf`.
 * The laws run the same cases on random worlds. Cases apply to all families unless `appliesTo` says otherwise.
 * Withdrawals are in hosts/oracle/e2e/negative/testing/NegativeWithdrawals.ts.
 */
import type * as Result from "effect/Result"
import type { VmFamily } from "../src/domain/chain/VmFamily.ts"
import type { JudgeContext } from "../src/domain/evidence/judges/JudgeContext.ts"
import type { judgeDeposits } from "../src/domain/evidence/judges/JudgeDeposits.ts"
import type { judgeFill } from "../src/domain/evidence/judges/JudgeFill.ts"
import type { judgeRefund } from "../src/domain/evidence/judges/JudgeRefund.ts"
import type { Refusal, RefusalReason } from "../src/domain/evidence/judges/Refusal.ts"
import type { Observation, TransactionEvidence } from "../src/domain/evidence/TransactionEvidence.ts"
import type { Order } from "../src/domain/order/Order.ts"
import type { FillClaim, InputEntry } from "../src/domain/hub/SettlementMessage.ts"
import { account, currency, hasTokens, slug, standInSigner, transaction, unknownSlug, word } from "./EvidenceChains.ts"
import {
  DEADLINE,
  depositTransaction,
  fillTransaction,
  foreignRouter,
  hasRouter,
  makeWorld,
  orderCall,
  refundTransaction,
  type World,
  type WorldPlan
} from "./EvidenceWorld.ts"

/** The judges under test. */
export interface Judges {
  readonly judgeDeposits: typeof judgeDeposits
  readonly judgeFill: typeof judgeFill
  readonly judgeRefund: typeof judgeRefund
}

/** A world that must be refused, and the expected reason. */
export interface NegativeCase {
  readonly name: string
  readonly of: "deposit" | "fill" | "refund"
  readonly refusal: RefusalReason
  /** Changes a valid world, whose plan `plan` has already adapted. */
  readonly spoil: (world: World) => World
  /** Adapts the plan so that the case is possible. */
  readonly plan?: (plan: WorldPlan) => WorldPlan
  readonly appliesTo?: (plan: WorldPlan) => boolean
}

const isAt = (seen: Observation, family: VmFamily, id: string): boolean =>
  seen.chain === slug(family) && seen.transactionId === id

/** The world with changed evidence of one transaction. */
const changed = (
  world: World,
  family: VmFamily,
  id: string,
  change: (evidence: TransactionEvidence) => Observation
): World => ({
  ...world,
  observations: world.observations.map((seen) =>
    seen._tag === "Transaction" && isAt(seen, family, id) ? change(seen) : seen
  )
})

type Change = (evidence: TransactionEvidence, world: World) => Observation

const inDeposit = (change: Change) => (world: World): World =>
  changed(world, world.plan.origin, depositTransaction(world.plan, 0), (seen) => change(seen, world))
const inFill = (change: Change) => (world: World): World =>
  changed(world, world.plan.destination, fillTransaction(world.plan), (seen) => change(seen, world))
const inRefund = (change: Change) => (world: World): World =>
  changed(world, world.plan.origin, refundTransaction(world.plan, 0), (seen) => change(seen, world))

/** The world with a changed fill claim. The refund's entries are changed with it. */
const claiming = (change: (claim: FillClaim, world: World) => Partial<FillClaim>) => (world: World): World => {
  const fill = { ...world.fill, ...change(world.fill, world) }
  const { inputs, order, orderSignature } = fill
  return { ...world, fill, refund: { ...world.refund, inputs, order, orderSignature } }
}

const withEntry = (change: (entry: InputEntry, world: World) => Partial<InputEntry>) =>
  claiming((claim, world) => ({
    inputs: claim.inputs.map((entry, index) => index === 0 ? { ...entry, ...change(entry, world) } : entry)
  }))

/** A world whose order was different from the start: deposits and payments name the changed order. */
const ordering = (change: (order: Order, world: World) => Order) => (world: World): World =>
  makeWorld(world.plan, world.solver, (order) => change(order, world))

const payingLess = (evidence: TransactionEvidence): TransactionEvidence => {
  const [first, ...others] = evidence.payments
  return first === undefined
    ? evidence
    : { ...evidence, payments: [{ ...first, amount: first.amount - 1n }, ...others] }
}

const exactly = (plan: WorldPlan): WorldPlan => ({
  ...plan,
  payments: plan.payments.map((payment) => ({ ...payment, extra: 0n }))
})

const first = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => list.slice(0, 1)
const twice = <A>(list: ReadonlyArray<A>): ReadonlyArray<A> => [...first(list), ...first(list)]

const reverted: Change = (seen) => ({ ...seen, outcome: "reverted" })
const notFinal: Change = (seen) => ({
  ...seen,
  finality: { _tag: "Pending", confirmations: 2, needed: 10, secondsLeft: 0 }
})
const absent: Change = ({ chain, transactionId }) => ({ _tag: "Absent", chain, transactionId })
const elsewhere = (family: (plan: WorldPlan) => VmFamily): Change => (seen, world) => ({
  ...seen,
  chain: slug(family(world.plan), true)
})
const intoAnother: Change = (seen, world) => ({
  ...seen,
  deposits: seen.deposits.map((deposit) => ({ ...deposit, depository: account(world.plan.origin, 51) }))
})
const ofOrder = (number: number): Change => (seen) => ({
  ...seen,
  deposits: seen.deposits.map((deposit) => ({ ...deposit, depositId: word(number) }))
})
const anotherCurrency: Change = (seen, world) => ({
  ...seen,
  deposits: seen.deposits.map((deposit) => ({ ...deposit, currency: currency(world.plan.origin, 2) }))
})

const originHasTokens = ({ origin }: WorldPlan): boolean => hasTokens(origin)
const destinationHasTokens = ({ destination }: WorldPlan): boolean => hasTokens(destination)
const destinationHasRouter = ({ destination }: WorldPlan): boolean => hasRouter(destination)

const big = (1n << 53n) + 1n

const depositCases: ReadonlyArray<NegativeCase> = [
  { name: "the transaction reverted", of: "deposit", refusal: "reverted", spoil: inDeposit(reverted) },
  { name: "the transaction is not final", of: "deposit", refusal: "not-final", spoil: inDeposit(notFinal) },
  { name: "no such transaction", of: "deposit", refusal: "not-found", spoil: inDeposit(absent) },
  {
    name: "the transaction is on another chain",
    of: "deposit",
    refusal: "wrong-chain",
    spoil: inDeposit(elsewhere((plan) => plan.origin))
  },
  {
    name: "the transaction was not read",
    of: "deposit",
    refusal: "unread",
    spoil: (world) => ({ ...world, observations: [] })
  },
  {
    name: "an id that is none",
    of: "deposit",
    refusal: "malformed",
    spoil: withEntry(() => ({ transactionId: "0xnot-an-id" }))
  },
  {
    name: "two deposits in one place",
    of: "deposit",
    refusal: "malformed",
    spoil: inDeposit((seen) => ({ ...seen, deposits: twice(seen.deposits) }))
  }
]

/** Cases that refuse a fill and a refund alike. */
const inputCases = (of: "fill" | "refund"): ReadonlyArray<NegativeCase> => [
  { name: "the deposit reverted", of, refusal: "reverted", spoil: inDeposit(reverted) },
  { name: "the deposit is not final", of, refusal: "not-final", spoil: inDeposit(notFinal) },
  { name: "no such deposit transaction", of, refusal: "not-found", spoil: inDeposit(absent) },
  {
    name: "the deposit is on another chain",
    of,
    refusal: "wrong-chain",
    spoil: inDeposit(elsewhere((plan) => plan.origin))
  },
  { name: "a foreign emitter's deposit", of, refusal: "no-deposit", spoil: inDeposit(intoAnother) },
  { name: "a deposit of another order", of, refusal: "wrong-order-id", spoil: inDeposit(ofOrder(9)) },
  { name: "a deposit that names no order", of, refusal: "wrong-order-id", spoil: inDeposit(ofOrder(0)) },
  {
    name: "a deposit in another currency than the order's",
    of,
    refusal: "wrong-currency",
    spoil: inDeposit(anotherCurrency),
    appliesTo: originHasTokens
  },
  {
    name: "an onchain id that the transaction does not hold",
    of,
    refusal: "no-deposit",
    spoil: withEntry(() => ({ onchainId: word(3) }))
  },
  { name: "an id that is none", of, refusal: "malformed", spoil: withEntry(() => ({ transactionId: "not an id" })) },
  {
    name: "one deposit for two inputs",
    of,
    refusal: "duplicate-onchain-id",
    plan: (plan) => ({ ...plan, inputs: twice(plan.inputs) }),
    spoil: claiming(({ inputs }) => ({
      inputs: inputs.map((entry, index) => ({ ...inputs[0] ?? entry, inputIndex: index }))
    }))
  },
  {
    name: "two entries for one input",
    of,
    refusal: "extra-entry",
    plan: (plan) => ({ ...plan, inputs: twice(plan.inputs) }),
    spoil: claiming(({ inputs }) => ({ inputs: inputs.map((entry) => ({ ...entry, inputIndex: 0 })) }))
  },
  {
    name: "an input without an entry",
    of,
    refusal: "missing-entry",
    spoil: claiming(({ inputs }) => ({ inputs: inputs.slice(1) }))
  },
  { name: "an entry beyond the order", of, refusal: "extra-entry", spoil: withEntry(() => ({ inputIndex: 99 })) },
  {
    name: "another solver's signature",
    of,
    refusal: "wrong-order-signature",
    spoil: claiming((_, world) => ({ orderSignature: standInSigner(2).sign(world.id) }))
  },
  {
    name: "an order that was altered after it was signed",
    of,
    refusal: "wrong-order-signature",
    spoil: claiming(({ order }) => ({ order: { ...order, salt: word(8) } }))
  },
  {
    name: "an order on a chain that nobody knows",
    of,
    refusal: "unknown-chain",
    spoil: claiming(({ order }) => ({ order: { ...order, output: { ...order.output, chainId: unknownSlug } } }))
  },
  {
    name: "an order that requests nothing",
    of,
    refusal: "zero-weight",
    spoil: ordering((order) => ({
      ...order,
      inputs: order.inputs.map((input) => ({ ...input, payment: { ...input.payment, weight: 0n } }))
    }))
  }
]

/** Cases that refuse a payment, in a fill as in a refund. */
const paymentCases = (
  of: "fill" | "refund",
  on: (change: Change) => (world: World) => World
): ReadonlyArray<NegativeCase> => {
  const chain = (plan: WorldPlan) => of === "fill" ? plan.destination : plan.origin
  return [
    { name: "the payment reverted", of, refusal: "reverted", spoil: on(reverted) },
    { name: "the payment is not final", of, refusal: "not-final", spoil: on(notFinal) },
    { name: "no such payment transaction", of, refusal: "not-found", spoil: on(absent) },
    { name: "the payment is on another chain", of, refusal: "wrong-chain", spoil: on(elsewhere(chain)) },
    {
      name: "the payment names another order",
      of,
      refusal: "wrong-order-id",
      spoil: on((seen) => ({ ...seen, orderIds: [word(9)] }))
    },
    {
      name: "the payment names no order",
      of,
      refusal: "no-order-id",
      spoil: on((seen) => ({ ...seen, orderIds: [] }))
    },
    {
      name: "the payment names several orders",
      of,
      refusal: "several-order-ids",
      spoil: on((seen, world) => ({ ...seen, orderIds: [world.id, word(9)] }))
    },
    {
      name: "the payment came a second late",
      of,
      refusal: "late",
      spoil: on((seen) => ({ ...seen, block: { ...seen.block, time: DEADLINE + 1 } }))
    },
    { name: "one unit less than is due", of, refusal: "underpaid", plan: exactly, spoil: on(payingLess) },
    {
      name: "one unit less than is due, beyond 2^53",
      of,
      refusal: "underpaid",
      plan: (plan) => ({
        ...exactly(plan),
        inputs: first(plan.inputs).map((input) => ({ ...input, requested: big, paid: big, refundMinimum: big })),
        payments: first(plan.payments).map((payment) => ({ ...payment, minimum: big, extra: 0n }))
      }),
      spoil: on(payingLess)
    },
    {
      name: "somebody else was paid",
      of,
      refusal: "underpaid",
      spoil: on((seen, { plan }) => ({
        ...seen,
        payments: seen.payments.map((payment) => ({ ...payment, recipient: account(chain(plan), 99) }))
      }))
    },
    {
      name: "paid in another currency",
      of,
      refusal: "underpaid",
      appliesTo: of === "fill" ? destinationHasTokens : originHasTokens,
      spoil: on((seen, { plan }) => ({
        ...seen,
        payments: seen.payments.map((payment) => ({ ...payment, currency: currency(chain(plan), 2) }))
      }))
    },
    {
      name: "paid through a router that the order does not name",
      of,
      refusal: "underpaid",
      appliesTo: (plan) => hasRouter(chain(plan)),
      spoil: on((seen, { plan }) => ({
        ...seen,
        payments: seen.payments.map((payment) => ({
          ...payment,
          through: { _tag: "Router" as const, router: foreignRouter(chain(plan)) }
        }))
      }))
    }
  ]
}

const fillCases: ReadonlyArray<NegativeCase> = [
  ...inputCases("fill"),
  ...paymentCases("fill", inFill),
  {
    name: "paid once for two outputs",
    of: "fill",
    refusal: "underpaid",
    plan: (plan) => exactly({ ...plan, payments: twice(plan.payments) }),
    spoil: inFill((seen) => ({ ...seen, payments: first(seen.payments) }))
  },
  {
    name: "the calls were not made",
    of: "fill",
    refusal: "calls-not-executed",
    plan: (plan) => ({ ...plan, calls: 2 }),
    appliesTo: destinationHasRouter,
    spoil: inFill((seen) => ({ ...seen, routerCalls: first(seen.routerCalls) }))
  },
  {
    name: "the calls were made in another order",
    of: "fill",
    refusal: "calls-not-executed",
    plan: (plan) => ({ ...plan, calls: 2 }),
    appliesTo: destinationHasRouter,
    spoil: inFill((seen) => ({ ...seen, routerCalls: seen.routerCalls.toReversed() }))
  },
  {
    name: "the calls were made by a router that the order does not name",
    of: "fill",
    refusal: "calls-not-executed",
    plan: (plan) => ({ ...plan, calls: 1 }),
    appliesTo: destinationHasRouter,
    spoil: inFill((seen, { plan }) => ({
      ...seen,
      routerCalls: seen.routerCalls.map((call) => ({ ...call, router: foreignRouter(plan.destination) }))
    }))
  },
  {
    name: "a call was made with less value",
    of: "fill",
    refusal: "calls-not-executed",
    plan: (plan) => ({ ...plan, calls: 2 }),
    appliesTo: destinationHasRouter,
    spoil: inFill((seen) => ({ ...seen, routerCalls: seen.routerCalls.map((call) => ({ ...call, value: 0n })) }))
  },
  {
    name: "the order has a call, which nothing on its chain makes",
    of: "fill",
    refusal: "calls-not-executed",
    appliesTo: (plan) => !destinationHasRouter(plan),
    spoil: ordering((order) => ({ ...order, output: { ...order.output, calls: [orderCall(0)] } }))
  }
]

const refundCases: ReadonlyArray<NegativeCase> = [
  ...inputCases("refund"),
  ...paymentCases("refund", inRefund),
  {
    name: "paid once for two refunds",
    of: "refund",
    refusal: "underpaid",
    plan: (plan) => ({
      ...plan,
      together: true,
      inputs: twice(plan.inputs).map((input) => ({ ...input, refundTo: 30 }))
    }),
    spoil: inRefund((seen) => ({ ...seen, payments: first(seen.payments) }))
  },
  {
    name: "a refund option that the order does not have",
    of: "refund",
    refusal: "unknown-refund",
    spoil: (world) => ({
      ...world,
      refund: { ...world.refund, refunds: world.refund.refunds.map((entry) => ({ ...entry, refundIndex: 1 })) }
    })
  },
  {
    name: "an input that is not refunded",
    of: "refund",
    refusal: "missing-entry",
    spoil: (world) => ({ ...world, refund: { ...world.refund, refunds: world.refund.refunds.slice(1) } })
  },
  {
    name: "an input that is refunded twice",
    of: "refund",
    refusal: "extra-entry",
    spoil: (world) => ({ ...world, refund: { ...world.refund, refunds: twice(world.refund.refunds) } })
  },
  {
    // A minimum of literally zero requires one smallest unit. Less is nothing.
    name: "nothing paid of a refund whose minimum is zero",
    of: "refund",
    refusal: "underpaid",
    plan: (plan) => ({ ...plan, inputs: plan.inputs.map((input) => ({ ...input, refundMinimum: 0n })) }),
    spoil: inRefund((seen, { plan }) => ({
      ...seen,
      payments: seen.payments.map((payment) => ({ ...payment, recipient: account(plan.origin, 98) }))
    }))
  },
  {
    name: "the minimum alone, when more was deposited than requested",
    of: "refund",
    refusal: "underpaid",
    plan: (plan) => ({
      ...plan,
      inputs: first(plan.inputs).map((input) => ({ ...input, requested: 100n, paid: 150n, refundMinimum: 90n }))
    }),
    spoil: inRefund((seen) => ({ ...seen, payments: seen.payments.map((payment) => ({ ...payment, amount: 134n })) }))
  },
  {
    name: "somebody else than the depositor was paid back",
    of: "refund",
    refusal: "underpaid",
    plan: (plan) => ({ ...plan, inputs: first(plan.inputs).map((input) => ({ ...input, refundTo: undefined })) }),
    spoil: inRefund((seen, { plan }) => ({
      ...seen,
      payments: seen.payments.map((payment) => ({ ...payment, recipient: account(plan.origin, 98) }))
    }))
  },
  {
    name: "a refund in a transaction that was not read",
    of: "refund",
    refusal: "unread",
    spoil: (world) => ({
      ...world,
      refund: {
        ...world.refund,
        refunds: world.refund.refunds.map((entry) => ({ ...entry, transactionId: transaction(world.plan.origin, 999) }))
      }
    })
  }
]

/** What every family must refuse. */
export const negativeCases: ReadonlyArray<NegativeCase> = [...depositCases, ...fillCases, ...refundCases]

/** The valid world of a case, before the change. Undefined when the case does not apply. */
export const worldOf = (
  negative: NegativeCase,
  plan: WorldPlan,
  world: (plan: WorldPlan) => World
): World | undefined => {
  const fitting = negative.plan?.(plan) ?? plan
  return negative.appliesTo?.(fitting) === false ? undefined : world(fitting)
}

/** The judges' verdict on the claim of a case. */
export const verdictOf = (
  judges: Judges,
  context: JudgeContext,
  of: NegativeCase["of"],
  world: World
): Result.Result<unknown, Refusal> => {
  switch (of) {
    case "deposit":
      return judges.judgeDeposits(
        context,
        { chainId: slug(world.plan.origin), transactionId: world.fill.inputs[0]?.transactionId ?? "" },
        world.observations
      )
    case "fill":
      return judges.judgeFill(context, world.fill, world.observations)
    case "refund":
      return judges.judgeRefund(context, world.refund, world.observations)
  }
}
