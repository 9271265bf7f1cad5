/**
 * An address's quote is dropped only while nothing was ever seen for it, and the address itself never; on both engines.
 */
import { assert } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import type { NewSweep } from "../../../ports/store/orders/Sweeps.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { NO_ORDER } from "../../../src/domain/deposit-address/reindex/NoOrder.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { describeStores } from "../testing/stores.ts"
import { named } from "../testing/Named.ts"
import { addressTransfer, transferOf } from "../testing/Transfers.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const addressOf = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const alpha = ChainId.make(616101)
const someone = addressOf(9)

/** A quote made at the time `n`; its order is 0x1000000 + n. */
const quoted = (n: number) =>
  addressTransfer(n, { address: addressOf(n), mode: "open", depositor: someone, refundTo: addressOf(0xb0) }, {
    quotedAt: n
  })

const native = CurrencyAddress.make(addressOf(0))

const sweepOf = (n: number): NewSweep => ({
  id: Hex32.make(id(7000 + n)),
  chainId: alpha,
  address: addressOf(n),
  currency: native,
  number: 0,
  orderId: OrderId.make(id(0x1000000 + n)),
  depositor: someone,
  units: 5n,
  queuedAt: n
})

const depositOf = (n: number): Deposit => ({
  onchainId: Hex32.make(id(2000 + n)),
  chainId: alpha,
  transactionId: TransactionId.make(id(3000 + n)),
  index: 0,
  block: { height: 1n, hash: "0x1", time: 1 },
  depositId: OrderId.make(id(0x1000000 + n)),
  depositor: someone,
  sender: someone,
  currency: native,
  amount: 1n
})

describeStores(({ test, testOnTables }) => {
  test(
    "drops quotes in pages, and keeps each address, which can never be deleted and is no longer watched",
    Effect.gen(function*() {
      const [unpaid, addresses, transfers] = [yield* UnpaidAddresses, yield* DepositAddresses, yield* Transfers]
      for (const n of [3, 1, 2, 9]) yield* transfers.add(quoted(n))
      yield* transfers.add(transferOf(5, { quotedAt: 1 }))
      const first = yield* unpaid.list(9, undefined, 2)
      const second = yield* unpaid.list(9, first.at(-1), 2)
      assert.deepStrictEqual([first, second].map((page) => page.map((each) => Number(each.id))), [[1, 2], [3]])
      const [one] = first
      if (one === undefined) return assert.fail("none")
      assert.isUndefined(yield* unpaid.dropped(addressOf(1)))
      assert.isTrue(yield* unpaid.drop(one, 50))
      assert.isFalse(yield* unpaid.drop(one, 50))
      assert.isUndefined(yield* transfers.find(one.id))
      assert.isUndefined(yield* addresses.findByRequest(one.id))
      const kept = yield* unpaid.dropped(addressOf(1))
      assert.deepStrictEqual(kept, one.kept)
      assert.deepStrictEqual(yield* addresses.find(alpha, addressOf(1)), one.kept)
      const watched = yield* addresses.recent(alpha, { since: 0, until: undefined }, undefined, 9)
      assert.notInclude(watched.addresses.map(({ address }) => address), addressOf(1))
      assert.lengthOf(watched.addresses, 3)
    })
  )

  testOnTables(
    "keeps an address that was dropped in a small row that nothing deletes",
    Effect.gen(function*() {
      const [sql, unpaid] = [yield* SqlClient.SqlClient, yield* UnpaidAddresses]
      yield* (yield* Transfers).add(quoted(1))
      for (const each of yield* unpaid.list(9, undefined, 9)) assert.isTrue(yield* unpaid.drop(each, 50))
      assert.strictEqual(
        (yield* Effect.flip(sql`DELETE FROM deposit_addresses WHERE address = ${addressOf(1)}`))._tag,
        "SqlError"
      )
      const [row] = yield* sql`SELECT * FROM deposit_addresses WHERE address = ${addressOf(1)}`
      assert.isBelow(
        Object.values(row ?? {}).map((value) => String(value).length).reduce((sum, each) => sum + each, 0),
        512
      )
    })
  )

  test(
    "drops nothing for which anything was ever seen, or is recorded concurrently",
    Effect.gen(function*() {
      const [deposits, sweeps] = [yield* Deposits, yield* Sweeps]
      const [unpaid, transfers] = [yield* UnpaidAddresses, yield* Transfers]
      for (const n of [1, 2, 3, 4, 5]) yield* transfers.add(quoted(n))
      yield* deposits.note(named([depositOf(1)]), 1)
      yield* deposits.close(depositOf(1).onchainId, 1, "gone", 1)
      yield* sweeps.queue(sweepOf(2))
      yield* sweeps.close(sweepOf(2).id, 0, { state: "void", height: 1n }, 1)
      yield* transfers.add(
        addressTransfer(8, { address: addressOf(3), mode: "open", depositor: someone }, { quotedAt: 8 })
      )
      const all = yield* unpaid.list(5, undefined, 9)
      yield* sweeps.queue(sweepOf(4))
      assert.deepStrictEqual(yield* Effect.forEach(all, (each) => unpaid.drop(each, 50)), [false, false, false, false])
      const [last] = yield* unpaid.list(6, all.at(-1), 9)
      if (last === undefined) return assert.fail("none")
      assert.isTrue(yield* unpaid.drop(last, 50))
    })
  )

  testOnTables(
    "knows what our sweeps took from a dropped address under no order, and nothing else",
    Effect.gen(function*() {
      const [sql, sweeps] = [yield* SqlClient.SqlClient, yield* Sweeps]
      const [unpaid, transfers] = [yield* UnpaidAddresses, yield* Transfers]
      yield* transfers.add(quoted(4))
      const [only] = yield* unpaid.list(5, undefined, 9)
      if (only === undefined) return assert.fail("none")
      const queued = yield* Deferred.make<void>()
      const sweeping = yield* Effect.forkChild(
        sql.withTransaction(
          sweeps.queue(sweepOf(4)).pipe(
            Effect.andThen(Deferred.succeed(queued, undefined)),
            Effect.andThen(Effect.sleep("300 millis"))
          )
        )
      )
      yield* Deferred.await(queued)
      assert.isFalse(yield* unpaid.drop(only, 50))
      yield* Fiber.join(sweeping)
    })
  )

  test(
    "knows what a sweep of ours took from a dropped address under no order, and nothing else",
    Effect.gen(function*() {
      const [payments, sweeps] = [yield* Payments, yield* Sweeps]
      const [unpaid, transfers] = [yield* UnpaidAddresses, yield* Transfers]
      for (const n of [1, 2]) yield* transfers.add(quoted(n))
      const [one] = yield* unpaid.list(9, undefined, 1)
      if (one === undefined) return assert.fail("none")
      yield* unpaid.drop(one, 50)
      // For the dropped address, and for one whose quote is kept.
      for (const n of [1, 2]) {
        yield* sweeps.queue(sweepOf(n))
        yield* sweeps.name(sweepOf(n).id, NO_ORDER)
        const payment = { orderId: OrderId.make(sweepOf(n).id), recipient: someone, currency: native, amount: 0n }
        const sent = {
          account: someone,
          transactionId: TransactionId.make(id(4000 + n)),
          raw: "0x",
          sequence: BigInt(n),
          block: depositOf(n).block,
          succeeded: true,
          gasPaid: 1n,
          movesNothing: true,
          payment
        }
        yield* payments.adopt(
          { leg: "sweep", deposit: sweepOf(n).id, chainId: alpha, sent, payment },
          1
        )
      }
      // The chain names the transaction otherwise than it was signed.
      yield* payments.recordOutcome(OrderId.make(sweepOf(1).id), "sweep", {
        state: "included",
        transactionId: TransactionId.make(id(9001)),
        signedAs: TransactionId.make(id(4001)),
        block: depositOf(1).block,
        gasPaid: 1n
      })
      const sweptBy = (n: number, currency: number) =>
        Effect.map(
          unpaid.sweptBy(TransactionId.make(id(4000 + n)), CurrencyAddress.make(addressOf(currency))),
          (kept) => kept?.address
        )
      assert.deepStrictEqual([yield* sweptBy(1, 0), yield* sweptBy(1, 5), yield* sweptBy(2, 0), yield* sweptBy(3, 0)], [
        addressOf(1),
        undefined,
        undefined,
        undefined
      ])
      assert.strictEqual(yield* sweptBy(5001, 0), addressOf(1))
      assert.deepStrictEqual([...yield* unpaid.sweepsAmong([TransactionId.make(id(9001))])], [id(9001)])
      const asked = Array.from({ length: 2_500 }, (_, index) => TransactionId.make(id(4000 + index)))
      assert.deepStrictEqual([...yield* unpaid.sweepsAmong(asked)], [id(4001)])
      assert.strictEqual((yield* unpaid.sweepsAmong([])).size, 0)
    })
  )
})
