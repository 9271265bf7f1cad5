/**
 * A world in which everything is right: an order, what its chains show, a fill of it and a refund.
 *
 * Laws make random worlds from plans. The negative suite changes one fact of a world at a time. Facts are the evidence
 * that a family's decoder must find, whatever the bytes.
 */
import { addressCodec, families } from "../src/domain/families/index.ts"
import * as Result from "effect/Result"
import type { Address } from "../src/domain/chain/Address.ts"
import { type Hex, hexFromBytes } from "../src/domain/encoding/Hex.ts"
import type { TransactionId } from "../src/domain/chain/TransactionId.ts"
import type { VmFamily } from "../src/domain/chain/VmFamily.ts"
import type {
  DepositEvidence,
  Observation,
  PaymentEvidence,
  RouterCallEvidence,
  TransactionEvidence
} from "../src/domain/evidence/TransactionEvidence.ts"
import { encodeExtraData } from "../src/domain/order/ExtraData.ts"
import type { Order, OrderId, OrderRefund } from "../src/domain/order/Order.ts"
import { orderId } from "../src/domain/order/OrderId.ts"
import { encodeRouterCall, type RouterCall } from "../src/domain/order/RouterCall.ts"
import { onchainId } from "../src/domain/hub/ProtocolId.ts"
import type { FillClaim, RefundClaim } from "../src/domain/hub/SettlementMessage.ts"
import { account, chainOf, currency, type Signer, slug, transaction, word } from "./EvidenceChains.ts"

/** Amounts in smallest units, all at least 1. Currencies and recipients by number. */
export interface InputPlan {
  readonly requested: bigint
  readonly paid: bigint
  readonly weight: bigint
  readonly currency: number
  readonly refundMinimum: bigint
  /** Undefined: the depositor. */
  readonly refundTo: number | undefined
}

export interface PaymentPlan {
  readonly recipient: number
  readonly currency: number
  readonly minimum: bigint
  /** Paid in addition to the minimum. */
  readonly extra: bigint
}

export interface WorldPlan {
  readonly origin: VmFamily
  readonly destination: VmFamily
  readonly inputs: ReadonlyArray<InputPlan>
  readonly payments: ReadonlyArray<PaymentPlan>
  /** Only where the destination has routers. */
  readonly calls: number
  readonly fees: number
  /** All deposits in one transaction, and all refunds in one. */
  readonly together: boolean
}

export interface World {
  readonly plan: WorldPlan
  readonly order: Order
  readonly id: OrderId
  readonly solver: Signer
  readonly fill: FillClaim
  readonly refund: RefundClaim
  /** The observations of every transaction of both claims. */
  readonly observations: ReadonlyArray<Observation>
}

export const DEADLINE = 1_800_000_000
const DEPOSIT_TIME = DEADLINE - 10_000

export const hasRouter = (family: VmFamily): boolean => family === "ethereum-vm" || family === "tron-vm"

/** The router that orders name, on chains that have one. */
export const routerOf = (family: VmFamily): Address | undefined => hasRouter(family) ? account(family, 60) : undefined

/** A router that no order names. */
export const foreignRouter = (family: VmFamily): Address => account(family, 61)

export const fillTransaction = (plan: WorldPlan): TransactionId => transaction(plan.destination, 500)
export const depositTransaction = (plan: WorldPlan, index: number): TransactionId =>
  transaction(plan.origin, 100 + (plan.together ? 0 : index))
export const refundTransaction = (plan: WorldPlan, index: number): TransactionId =>
  transaction(plan.origin, 300 + (plan.together ? 0 : index))

export const depositor = (plan: WorldPlan, index: number): Address => account(plan.origin, 20 + index)

const extraData = (family: VmFamily): Hex => Result.getOrThrow(encodeExtraData(families[family], routerOf(family)))

const callOf = (index: number): RouterCall => ({
  to: account("ethereum-vm", 70),
  data: hexFromBytes(Uint8Array.of(index, 1, 2)),
  value: BigInt(index)
})

/** A call as encoded in an order. */
export const orderCall = (index: number) => Result.getOrThrow(encodeRouterCall(callOf(index)))

const refundOption = (plan: WorldPlan, input: InputPlan): OrderRefund => ({
  chainId: slug(plan.origin),
  recipient: input.refundTo === undefined
    ? addressCodec(plan.origin).nativeCurrency
    : account(plan.origin, input.refundTo),
  currency: currency(plan.origin, input.currency),
  minimumAmount: input.refundMinimum,
  deadline: DEADLINE,
  extraData: extraData(plan.origin)
})

const orderOf = (plan: WorldPlan, solver: Signer): Order => ({
  version: "v1",
  solverChainId: slug("ethereum-vm"),
  solver: solver.account,
  salt: word(7),
  inputs: plan.inputs.map((input) => ({
    payment: {
      chainId: slug(plan.origin),
      currency: currency(plan.origin, input.currency),
      amount: input.requested,
      weight: input.weight
    },
    refunds: [refundOption(plan, input)]
  })),
  output: {
    chainId: slug(plan.destination),
    payments: plan.payments.map((payment) => ({
      recipient: account(plan.destination, payment.recipient),
      currency: currency(plan.destination, payment.currency),
      minimumAmount: payment.minimum,
      expectedAmount: payment.minimum + payment.extra
    })),
    calls: hasRouter(plan.destination)
      ? Array.from({ length: plan.calls }, (_, index) => orderCall(index))
      : [],
    deadline: DEADLINE,
    extraData: extraData(plan.destination)
  },
  fees: Array.from({ length: plan.fees }, (_, index) => ({
    recipientChainId: slug("solana-vm"),
    recipient: account("solana-vm", 80 + index),
    currencyChainId: slug(plan.origin),
    currency: currency(plan.origin, 0),
    amount: BigInt(index + 1)
  }))
})

const bare = (family: VmFamily, transactionId: TransactionId, time: number): TransactionEvidence => ({
  _tag: "Transaction",
  chain: slug(family),
  transactionId,
  outcome: "succeeded",
  block: { height: 1_000n, hash: word(time), time },
  finality: { _tag: "Final" },
  deposits: [],
  payments: [],
  orderIds: [],
  routerCalls: []
})

/** A native payment on a chain with routers goes through the order's router. All other payments are direct. */
export const payment = (family: VmFamily, recipient: Address, number: number, amount: bigint): PaymentEvidence => {
  const router = routerOf(family)
  const through = router !== undefined && number === 0
    ? { _tag: "Router" as const, router }
    : { _tag: "Direct" as const }
  return { recipient, currency: currency(family, number), amount, through }
}

/** Families whose transactions are one transfer each. */
const hasOneTransfer = (family: VmFamily): boolean => family === "exchangea-vm" || family === "exchangeb-vm"

/** The index of an input's deposit in its transaction. */
const depositIndex = ({ origin, together }: WorldPlan, index: number): number =>
  hasOneTransfer(origin) && !together ? 0 : index * 2 + 1

const depositEvidence = (plan: WorldPlan, id: OrderId): ReadonlyArray<TransactionEvidence> => {
  const deposits = plan.inputs.map((input, index): DepositEvidence => ({
    depository: chainOf(slug(plan.origin))?.depository ?? account(plan.origin, 0),
    index: depositIndex(plan, index),
    depositId: id,
    depositor: depositor(plan, index),
    currency: currency(plan.origin, input.currency),
    amount: input.paid
  }))
  return plan.together
    ? [{ ...bare(plan.origin, depositTransaction(plan, 0), DEPOSIT_TIME), deposits }]
    : deposits.map((deposit, index) => ({
      ...bare(plan.origin, depositTransaction(plan, index), DEPOSIT_TIME + index),
      deposits: [deposit]
    }))
}

/** The amount due for the refund of an input, by the formula of CLAIM-4 written a second time. */
export const refundDueOf = (plan: WorldPlan, input: InputPlan): bigint => {
  if (input.refundMinimum === 0n) return 1n
  const requested = plan.inputs.reduce((sum, each) => sum + each.requested * each.weight, 0n)
  const paid = plan.inputs.reduce((sum, each) => sum + each.paid * each.weight, 0n)
  const diff = ((paid - requested) * 10n ** 18n) / requested
  return input.refundMinimum + (input.refundMinimum * diff) / 10n ** 18n
}

const refundEvidence = (plan: WorldPlan, id: OrderId): ReadonlyArray<TransactionEvidence> => {
  const payments = plan.inputs.map((input, index) => {
    const recipient = input.refundTo === undefined ? depositor(plan, index) : account(plan.origin, input.refundTo)
    return payment(plan.origin, recipient, input.currency, refundDueOf(plan, input))
  })
  const at = { time: DEADLINE, orderIds: [id] }
  return plan.together
    ? [{ ...bare(plan.origin, refundTransaction(plan, 0), at.time), orderIds: at.orderIds, payments }]
    : payments.map((each, index) => ({
      ...bare(plan.origin, refundTransaction(plan, index), at.time),
      orderIds: at.orderIds,
      payments: [each]
    }))
}

const callsOf = (plan: WorldPlan): ReadonlyArray<RouterCallEvidence> => {
  const router = routerOf(plan.destination)
  return router === undefined ? [] : Array.from({ length: plan.calls }, (_, index) => ({ router, ...callOf(index) }))
}

const fillEvidence = (plan: WorldPlan, id: OrderId): TransactionEvidence => ({
  ...bare(plan.destination, fillTransaction(plan), DEADLINE),
  orderIds: [id],
  payments: plan.payments.map((each) =>
    payment(plan.destination, account(plan.destination, each.recipient), each.currency, each.minimum + each.extra)
  ),
  routerCalls: callsOf(plan)
})

/** The claims of a plan, for this order. */
const claimsOf = (plan: WorldPlan, order: Order, id: OrderId, solver: Signer) => {
  const common = {
    order,
    orderSignature: solver.sign(id),
    inputs: plan.inputs.map((_, index) => ({
      transactionId: depositTransaction(plan, index),
      onchainId: onchainId(slug(plan.origin), depositTransaction(plan, index), depositIndex(plan, index)),
      inputIndex: index
    }))
  }
  const refunds = plan.inputs.map((_, index) => ({
    transactionId: refundTransaction(plan, index),
    inputIndex: index,
    refundIndex: 0
  }))
  return { fill: { ...common, fill: { transactionId: fillTransaction(plan) } }, refund: { ...common, refunds } }
}

/** Everything is just in time, and every amount is paid. `change` alters the order before anything refers to it. */
export const makeWorld = (
  plan: WorldPlan,
  solver: Signer,
  change: (order: Order) => Order = (order) => order
): World => {
  const order = change(orderOf(plan, solver))
  const id = Result.getOrThrow(orderId(order, (of) => chainOf(of)?.family))
  return {
    plan,
    order,
    id,
    solver,
    ...claimsOf(plan, order, id, solver),
    observations: [...depositEvidence(plan, id), fillEvidence(plan, id), ...refundEvidence(plan, id)]
  }
}
