/** A solver that pays on the simulated exchange: payments to make, and each step of one by the ports of the treasury. */
import { Effect } from "effect"
import type { Gas } from "../../../ports/chain/Gas.ts"
import type { FillPayment, PlainPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { startPayingExchangeB } from "./PayingExchangeB.ts"

export const SECOND = 1_000
export const MINUTE = 60 * SECOND

export const orderOf = (n: number): OrderId => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)

type Fixture = Effect.Success<ReturnType<typeof startPayingExchangeB>>

/** A test over that many endpoints. */
export const onExchange = <E>(
  hosts: number,
  body: (fixture: Fixture) => Effect.Effect<void, E, Gas | SentTransactions | Treasury>
) =>
() =>
  Effect.scoped(Effect.flatMap(startPayingExchangeB(hosts), (fixture) => Effect.provide(body(fixture), fixture.ports)))

export const refund = (
  { chain, native }: Fixture,
  recipient: Address,
  { amount = 2_500_000n, currency = native, order = 1 }: {
    readonly amount?: bigint
    readonly currency?: Currency
    readonly order?: number
  } = {}
): PlainPayment => ({ _tag: "Refund", chain, currency, recipient, amount, orderId: orderOf(order) })

export const prepared = (payment: PlainPayment | FillPayment) =>
  Effect.flatMap(Treasury, ({ prepare }) => prepare(payment))

/** By the first API key, under the next nonce, or a later one. */
export const signed = (payment: PlainPayment | FillPayment, later = 0n) =>
  Effect.flatMap(prepared(payment), ({ chainSequence, sign }) => sign(chainSequence + later, []))

export const refusalOf = (payment: PlainPayment | FillPayment) =>
  Effect.match(prepared(payment), {
    onFailure: (failure) => failure._tag === "PaymentRefused" ? failure.reason : failure._tag,
    onSuccess: () => "prepared"
  })

export const send = ({ chain }: Fixture, payment: SignedPayment) =>
  Effect.flatMap(
    Treasury,
    ({ broadcast }) =>
      Effect.match(broadcast(chain, payment), { onFailure: ({ kind }) => kind, onSuccess: (said) => said })
  )

export const outcomeOf = ({ chain }: Fixture, payment: SignedPayment) =>
  Effect.flatMap(Treasury, ({ outcome }) => outcome(chain, [payment], "quorum"))

export const tagOf = (fixture: Fixture, payment: SignedPayment) =>
  Effect.map(outcomeOf(fixture, payment), ({ _tag }) => _tag)
