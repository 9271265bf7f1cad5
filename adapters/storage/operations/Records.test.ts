import { families } from "../../../src/domain/families/index.ts"
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { named } from "../testing/Named.ts"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import { accrualId } from "../../../src/domain/ledger/LedgerIds.ts"
import { accrueAppFees } from "../../../src/domain/ledger/Movements.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { UsdPrice } from "../../../src/domain/money/Usd.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { describeStores } from "../testing/stores.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const user = Address.make("0x00000000000000000000000000000000000000a1")
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)
const currency = { chainId: beta, address: native, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }
const chain: Chain = {
  id: beta,
  slug: ChainSlug.make("beta"),
  family: families["ethereum-vm"],
  network: "mainnet",
  name: "Beta",
  depository: user,
  router: undefined,
  vault: undefined,
  native: currency,
  currencies: [currency],
  finality: { _tag: "Tag", tag: "finalized", seconds: 2 },
  confirmations: [],
  blockTimeMs: 1000,
  explorerUrl: undefined
}
const block = { height: 7n, hash: "0xaa", time: 1 }
const deposit = (n: number) => ({
  onchainId: Hex32.make(id(n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(6000 + n)),
  index: n,
  block,
  depositId: Hex32.make(id(1000 + n)),
  depositor: user,
  sender: user,
  currency: native,
  amount: 2n ** 200n
})
const prepared = {
  account: user,
  chainSequence: 9n,
  costs: [],
  sign: (sequence: bigint) =>
    Effect.succeed({ transactionId: TransactionId.make(id(Number(sequence))), raw: `raw ${sequence}` })
}

describeStores(({ test }) => {
  /** Two deposits, a fill that was executed and one that was not, and app fees. */
  const written = Effect.gen(function*() {
    const [deposits, payments, ledger] = [yield* Deposits, yield* Payments, yield* Ledger]
    yield* deposits.anchor(alpha, { height: 3n, hash: "0x3" })
    yield* deposits.record(alpha, { height: 8n, hash: "0x8" }, named([deposit(1), deposit(2)]), 1_000)
    yield* deposits.note(named([deposit(3)]), 5_000)
    yield* deposits.close(deposit(2).onchainId, 1, "gone", 9)
    const transactions = new Map<number, TransactionId>()
    for (const n of [1, 3]) {
      const payment = {
        _tag: "Payout",
        chain,
        currency,
        recipient: user,
        amount: 5n,
        orderId: OrderId.make(id(1000 + n))
      } as const
      transactions.set(
        n,
        (yield* payments.signOnce("fill", deposit(n).onchainId, payment, prepared, 2_000 * n)).transactionId
      )
    }
    yield* payments.recordOutcome(OrderId.make(id(1001)), "fill", {
      state: "included",
      transactionId: transactions.get(1) ?? TransactionId.make(id(0)),
      block,
      gasPaid: 21n
    })
    yield* payments.recordOutcome(OrderId.make(id(1003)), "fill", {
      state: "reverted",
      transactionId: transactions.get(3) ?? TransactionId.make(id(0)),
      block,
      gasPaid: 22n
    })
    yield* ledger.post(
      Result.getOrThrow(accrueAppFees({
        id: accrualId(RequestId.make(id(1)), deposit(1).onchainId),
        currency: { chainId: alpha, address: native },
        shares: [{ recipient: user, units: 4n }]
      })),
      3_000
    )
  })

  test(
    "returns everything that is recorded for a chain",
    Effect.gen(function*() {
      yield* written
      const [records, promises, exposures] = [yield* Records, yield* InventoryReservations, yield* Exposures]
      const promised = {
        orderId: OrderId.make(id(1)),
        chainId: beta,
        currency: native,
        part: "output" as const,
        holding: "vault" as const,
        amount: 2n ** 255n
      }
      const topup = { ...promised, part: "topup" as const, amount: 3n }
      yield* promises.note(promised)
      yield* promises.note(topup)
      const exposure = { onchainId: Hex32.make(id(5)), chainId: alpha, user, usdMicros: 77n }
      yield* exposures.take(exposure, { chain: 100n, user: 100n })
      assert.deepStrictEqual(yield* records.promised, [promised, topup])
      assert.deepStrictEqual(yield* records.exposed, [exposure])
      assert.deepStrictEqual(yield* records.scanned(alpha), { anchored: 3n, cursor: { height: 8n, hash: "0x8" } })
      assert.isUndefined(yield* records.scanned(beta))
      assert.deepStrictEqual(
        (yield* records.deposits(alpha)).map(({ deposit: { onchainId }, state }) => `${Number(onchainId)} ${state}`),
        ["1 open", "2 gone", "3 open"]
      )
      assert.deepStrictEqual(yield* records.sequences(beta), [{ chainId: beta, account: user, first: 9n, next: 11n }])
      const payments = yield* records.payments(beta)
      // By number, not by text: 9 comes before 10.
      assert.deepStrictEqual(payments.map(({ sequence, state }) => `${sequence} ${state}`), [
        "9 included",
        "10 reverted"
      ])
      assert.deepInclude(payments[0], {
        leg: "fill",
        deposit: deposit(1).onchainId,
        recipient: user,
        currency: native,
        amount: 5n,
        block,
        gasPaid: 21n
      })
      assert.deepStrictEqual(yield* records.payments(alpha), [])
    })
  )

  test(
    "books what was received, paid and earned in a period, with the first prices that were stored",
    Effect.gen(function*() {
      yield* written
      const bookings = yield* Bookings
      const price = (of: ChainId, value: bigint) => ({ chainId: of, currency: native, price: UsdPrice(value) })
      yield* bookings.value(deposit(1).onchainId, [price(alpha, 2n ** 130n), price(beta, 7n)])
      yield* bookings.value(deposit(1).onchainId, [price(alpha, 1n)])
      const told = (from: number, to: number) =>
        Effect.map(
          bookings.between(from, to),
          (all) =>
            all.map(({ at, chainId, deposit, kind, units }) => `${kind} ${at} ${chainId} ${units} ${Number(deposit)}`)
              .toSorted()
        )
      const first = [
        `appFees 3000 ${alpha} 4 1`,
        `gas 2000 ${beta} 21 1`,
        `paidOut 2000 ${beta} 5 1`,
        `received 1000 ${alpha} ${2n ** 200n} 1`
      ]
      const second = [`gas 6000 ${beta} 22 3`, `received 5000 ${alpha} ${2n ** 200n} 3`]
      assert.deepStrictEqual(yield* told(1_000, 5_000), first)
      assert.deepStrictEqual(yield* told(5_000, 6_001), second)
      assert.deepStrictEqual(yield* told(0, 10_000), [...first, ...second].toSorted())
      assert.deepStrictEqual(yield* told(1_001, 2_000), [])
      assert.deepStrictEqual([...(yield* bookings.valuations(0, 10_000))], [[deposit(1).onchainId, [
        price(alpha, 2n ** 130n),
        price(beta, 7n)
      ]]])
      assert.strictEqual((yield* bookings.valuations(5_000, 10_000)).size, 0)
    })
  )

  test(
    "books a sweep's gas, at prices stored for it, and of an excess what was returned",
    Effect.gen(function*() {
      const [bookings, payments] = [yield* Bookings, yield* Payments]
      const sweep = OrderId.make(id(77))
      const call = {
        address: user,
        orderId: OrderId.make(id(1001)),
        depositor: user,
        depositId: OrderId.make(id(1001)),
        currency: native
      }
      const payment = {
        _tag: "Excess",
        chain,
        currency,
        recipient: user,
        amount: 5n,
        orderId: OrderId.make(id(1001))
      } as const
      const swept = yield* payments.signOnce(
        "sweep",
        sweep,
        { ...payment, _tag: "Sweep", amount: 0n, orderId: sweep, sweep: call },
        prepared,
        2_000
      )
      const excess = yield* payments.signOnce("excess:0x1", deposit(1).onchainId, payment, prepared, 3_000)
      for (const { leg, orderId, transactionId } of [swept, excess]) {
        yield* payments.recordOutcome(orderId, leg, { state: "included", transactionId, block, gasPaid: 21n })
      }
      yield* bookings.value(sweep, [{ chainId: beta, currency: native, price: UsdPrice(7n) }])
      const all = yield* bookings.between(0, 10_000)
      assert.deepStrictEqual(all.map(({ at, deposit, kind, units }) => `${kind} ${at} ${units} ${Number(deposit)}`), [
        "gas 2000 21 77",
        "paidOut 3000 5 1",
        "gas 3000 21 1"
      ])
      assert.deepStrictEqual([...(yield* bookings.valuations(0, 10_000)).keys()], [sweep])
    })
  )
})
