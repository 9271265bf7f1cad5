/** After a restore, a payment whose order nobody has recorded is named by the open deposits, or holds everything. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Address } from "../../domain/chain/Address.ts"
import { TransactionId } from "../../domain/chain/TransactionId.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { depositOf, transferOf } from "../../domain/permit/testing/PermitTransfers.ts"
import { alpha, beta } from "../../domain/quote/testing/Chains.ts"
import { nameOrders } from "./NamelessPayments.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const orderOf = (n: number) => OrderId.make(word(n))
const account = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const currency = beta.native.address

/** From alpha to beta, with one deposit of 1,000 + its number. */
const orderTo = (n: number, recipient: number, amountOut: bigint) => ({
  transfer: transferOf({
    originChainId: alpha.id,
    originCurrency: alpha.native.address,
    destinationChainId: beta.id,
    destinationCurrency: currency,
    user: account(9),
    recipient: account(recipient),
    refundTo: account(9),
    amountIn: amountOut,
    amountOut,
    minimumOut: amountOut
  }, { orderId: orderOf(n) }),
  deposit: depositOf({
    onchainId: word(1_000 + n),
    depositId: orderOf(n),
    currency: alpha.native.address,
    sender: account(9),
    depositor: account(9),
    amount: 5n
  })
})

type Known = ReadonlyArray<ReturnType<typeof orderTo>>

const store = (orders: Known, filled: ReadonlyArray<OrderId> = [], asked = { open: 0 }) =>
  Layer.mergeAll(
    Layer.mock(Chains, { all: [alpha, beta] }),
    Layer.mock(Treasury, { replacing: () => undefined }),
    Layer.mock(Deposits, {
      open: () =>
        Effect.sync(() => {
          asked.open += 1
          return orders.map(({ deposit: { onchainId } }) => ({ onchainId, sighting: 0 }))
        })
    }),
    Layer.mock(Transfers, {
      findByDeposit: (onchainId) =>
        Effect.sync(() => {
          const found = orders.find(({ deposit }) => deposit.onchainId === onchainId)
          return found === undefined ? undefined : { ...found, sighting: 0 }
        })
    }),
    Layer.mock(Payments, {
      find: (orderId, leg) =>
        Effect.succeed(leg === "fill" && filled.includes(orderId) ? ({} as unknown as StoredPayment) : undefined)
    }),
    Layer.mock(TransferHistory, {
      allPayments: () => Effect.succeed([]),
      allDeposits: (orderId) =>
        Effect.succeed(
          orders.filter(({ transfer }) => transfer.orderId === orderId).map(({ deposit }) => ({
            deposit,
            state: "open",
            isHeld: false
          }))
        )
    })
  )

/** A transaction that paid the recipient, without its order. */
const paying = (n: number, recipient: number, amount: bigint): SentTransaction => {
  const sent = {
    account: account(7),
    transactionId: TransactionId.make(word(50 + n)),
    raw: "",
    sequence: undefined,
    block: { height: 1n, hash: "0x1", time: 1 },
    succeeded: true,
    gasPaid: 0n,
    payment: undefined,
    movesNothing: false
  }
  const moved = { recipient: account(recipient), currency, amount }
  return {
    ...sent,
    nameless: { ...moved, nameIt: (orderId) => Effect.succeed({ ...sent, payment: { orderId, ...moved } }) }
  }
}

const named = (orders: Known, sent: ReadonlyArray<SentTransaction>, filled: ReadonlyArray<OrderId> = []) =>
  nameOrders(beta, sent).pipe(
    Effect.map((all) => all?.map(({ payment }): Hex32 | undefined => payment?.orderId)),
    Effect.provide(store(orders, filled))
  )

describe("payments since a backup whose orders are lost", () => {
  it.effect("are for the orders of open deposits, each for one", () =>
    Effect.gen(function*() {
      const orders = [orderTo(1, 1, 10n), orderTo(2, 1, 20n), orderTo(3, 2, 10n)]
      // What is left for the first one is the first order, whatever it was paid.
      const sent = [paying(3, 1, 9n), paying(1, 2, 10n), paying(2, 1, 20n)]
      assert.deepStrictEqual(yield* named(orders, sent), [orderOf(3), orderOf(2), orderOf(1)])
    }))

  it.effect("read the open deposits once, however many payments need an order", () =>
    Effect.gen(function*() {
      const asked = { open: 0 }
      const count = Array.from({ length: 30 }, (_, nth) => nth + 1)
      const orders = count.map((n) => orderTo(n, n, 10n))
      const sent = count.map((n) => paying(n, n, 10n))
      const found = yield* nameOrders(beta, sent).pipe(Effect.provide(store(orders, [], asked)))
      assert.deepStrictEqual(
        found?.map(({ payment }) => payment?.orderId),
        orders.map(({ transfer }) => transfer.orderId)
      )
      assert.strictEqual(asked.open, 1)
    }))

  it.effect("hold all payments while it is uncertain which of two orders one has paid", () =>
    Effect.gen(function*() {
      const orders = [orderTo(1, 1, 10n), orderTo(2, 1, 10n)]
      assert.isUndefined(yield* named(orders, [paying(1, 1, 10n)]))
      assert.isUndefined(yield* named([], [paying(1, 1, 10n)]))
    }))

  it.effect("are not for an order whose fill is known", () =>
    Effect.gen(function*() {
      const orders = [orderTo(1, 1, 10n), orderTo(2, 1, 10n)]
      assert.deepStrictEqual(yield* named(orders, [paying(1, 1, 10n)], [orderOf(2)]), [orderOf(1)])
    }))
})
