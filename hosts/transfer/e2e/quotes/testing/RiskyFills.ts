/**
 * Fills that the solver makes at its own risk, without chains: their transfers and deposits, their payment, which is
 * raised while its fee is too low, and a store of what was lost. For the properties of REFUND-11 and REFUND-13.
 */
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { layerDatabase } from "../../../../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../../../../adapters/storage/engine/Migrations.ts"
import * as SqlCallLosses from "../../../../../adapters/storage/ledger/CallLosses.ts"
import { migrations } from "../../../../../adapters/storage/migrations/index.ts"
import { transferOf } from "../../../../../adapters/storage/testing/Transfers.ts"
import { Treasury } from "../../../../../ports/chain/Treasury.ts"
import type { PreparedReplacement } from "../../../../../ports/chain/Treasury.ts"
import { Prices } from "../../../../../ports/market/Prices.ts"
import { Payments } from "../../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../../ports/store/orders/Payments.ts"
import { Address } from "../../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { TransactionId } from "../../../../../src/domain/chain/TransactionId.ts"
import { Hex } from "../../../../../src/domain/encoding/Hex.ts"
import type { Currency } from "../../../../../src/domain/money/Currency.ts"
import { maxOf } from "../../../../../src/domain/money/Rounding.ts"
import { OrderId } from "../../../../../src/domain/order/Order.ts"
import { alpha, beta, priced } from "../../../../../src/domain/quote/testing/Chains.ts"
import type { Deposit } from "../../../../../src/domain/transfer/deposit/Deposit.ts"
import type { Transfer, TransferTerms } from "../../../../../src/domain/transfer/Transfer.ts"
import { callRisk } from "../../../../../src/services/filling/losses/RevertedCallLoss.ts"
import type { CallRisk } from "../../../../../src/services/filling/losses/RevertedCallLoss.ts"
import { defaultPolicy, Policy } from "../../../../../src/services/operations/Policy.ts"
import { deliveryPayment } from "../../../../../src/services/payments/DeliveryPayment.ts"
import { replaceWhenStuck } from "../../../../../src/services/payments/replace/ReplaceStuck.ts"
import type { Route } from "../../../../../src/services/quoting/market/MarketFacts.ts"

const hex = (n: number, bytes: number): `0x${string}` => `0x${n.toString(16).padStart(2 * bytes, "0")}`

/** Who quotes, is refunded and is paid. */
export const user = Address.make(hex(0xaa, 20))

/** One unit of either currency is a millionth of a dollar. */
const micro = ({ native }: Chain): Currency => ({ ...native, decimals: 6 })

const destination: Chain = { ...beta, native: micro(beta) }
const route: Route = {
  origin: alpha,
  originCurrency: micro(alpha),
  destination,
  destinationCurrency: destination.native,
  recipient: user,
  refundTo: user,
  calls: [],
  callsGas: undefined
}

/** What the order of a risky fill says. `n` is its number. */
export interface RiskyOrder {
  readonly n: number
  /** Smallest units of the origin currency. */
  readonly amountIn: bigint
  readonly leastRefund: bigint
  readonly hasCalls: boolean
  readonly terms: Pick<Partial<TransferTerms>, "destinationSwap" | "refundBounds">
}

const wellFormed = transferOf(1, { quotedAt: 0, user })

/** Quoted at time zero. */
export const riskyTransfer = ({ amountIn, hasCalls, leastRefund, n, terms }: RiskyOrder): Transfer => ({
  ...wellFormed,
  orderId: OrderId.make(hex(n, 32)),
  order: {
    ...wellFormed.order,
    inputs: [{
      payment: { chainId: alpha.slug, currency: alpha.native.address, amount: amountIn, weight: 1n },
      refunds: [{
        chainId: alpha.slug,
        recipient: user,
        currency: alpha.native.address,
        minimumAmount: leastRefund,
        deadline: 10 ** 9,
        extraData: Hex.make("0x")
      }]
    }],
    output: { ...wellFormed.order.output, calls: hasCalls ? [Hex.make("0x01")] : [] }
  },
  terms: {
    ...wellFormed.terms,
    originChainId: alpha.id,
    originCurrency: alpha.native.address,
    destinationChainId: beta.id,
    destinationCurrency: beta.native.address,
    amountIn,
    ...terms
  }
})

/** A deposit for an order by one of the senders, who are numbered from zero. `time`: of its block, seconds. */
export const riskyDeposit = (
  { orderId }: Transfer,
  { amount, sender, time }: { readonly amount: bigint; readonly sender: number; readonly time: number }
): Deposit => ({
  onchainId: orderId,
  chainId: alpha.id,
  transactionId: TransactionId.make(orderId),
  index: 0,
  block: { height: 1n, hash: "0x01", time },
  depositId: orderId,
  depositor: user,
  sender: Address.make(hex(sender + 1, 20)),
  currency: alpha.native.address,
  amount
})

/** The risk as a process sees it that has just started. */
export const riskOf = (transfer: Transfer, deposit: Deposit): CallRisk => {
  const payment = deliveryPayment(route, { orderId: transfer.orderId, amount: 1n, topup: 0n })
  const risk = callRisk(route, transfer, deposit, { purpose: "fill", payment })
  assert.isDefined(risk)
  return risk
}

/** As a prepared payment says that it runs its recipient's code. */
export const running = (runsCode: boolean): { readonly runsCode?: true } => runsCode ? { runsCode: true } : {}

/** A fill in flight. */
export interface InFlight {
  readonly transfer: Transfer
  readonly deposit: Deposit
  /** The most that any variant of its payment can cost. */
  most: bigint
}

/** Its payment. The variant states in its bytes what it can cost. */
const paymentOf = ({ deposit, most, transfer }: InFlight): StoredPayment => {
  const variant = { transactionId: TransactionId.make(hex(7, 32)), raw: `0x${most}`, signedAt: 0 }
  return {
    ...variant,
    orderId: transfer.orderId,
    leg: "fill",
    deposit: deposit.onchainId,
    chainId: beta.id,
    account: Address.make(hex(0x50, 20)),
    sequence: 0n,
    currency: beta.native.address,
    amount: 1n,
    state: "sent",
    variants: [variant]
  }
}

/** Where a fee is always too low: a payment is raised by a factor, with all or less of its gas. */
const raising = (fill: InFlight, runsCode: boolean, factor: bigint) => {
  const replacement = (mostGas: bigint): PreparedReplacement => ({
    ...running(runsCode),
    extra: { holder: user, currency: beta.native.address, amount: 0n, balance: 0n },
    mostGas,
    sign: Effect.die("it is not signed")
  })
  return Layer.mergeAll(
    Layer.mock(Treasury, {
      outcome: () => Effect.succeed({ _tag: "Pending" }),
      replacing: () => ({
        judge: () =>
          Effect.succeed({
            _tag: "Replace",
            whole: Effect.succeed(replacement(fill.most * factor)),
            within: Effect.succeed(replacement(fill.most))
          }),
        withoutAuthorizations: () => Effect.die("it carries none")
      })
    }),
    Layer.mock(Payments, {
      replace: (payment, { mostGas }) =>
        Effect.sync(() => {
          fill.most = maxOf(fill.most, mostGas)
          return { ...payment, variants: [payment.variants[0], payment.variants[0]] }
        })
    })
  )
}

/** The fill's payment is stuck and replaced: by a factor, or with less gas where its risk is not borne. */
export const raiseFill = (fill: InFlight, risk: CallRisk, runsCode: boolean, factor: bigint) =>
  replaceWhenStuck(beta, paymentOf(fill), 0, risk.isBorne).pipe(Effect.provide(raising(fill, runsCode, factor)))

/** A real store of what was lost, with this cap in micro-dollars (REVERTED_CALLS_USD). */
export const layerLosses = (cap: bigint) =>
  Layer.mergeAll(
    SqlCallLosses.layer.pipe(
      Layer.provide(layerMigrations(migrations)),
      Layer.provide(layerDatabase(Redacted.make("sqlite::memory:")))
    ),
    Layer.mock(Payments, {}),
    Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "1")) }),
    Layer.succeed(Policy, { ...defaultPolicy, revertedCalls: cap }),
    Logger.layer([])
  )
