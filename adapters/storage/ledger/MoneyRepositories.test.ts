import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { UNATTESTED_WINDOW_MS, UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { Address, CurrencyAddress } from "../../../src/domain/chain/Address.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { pauseId } from "../../../src/domain/pause/Pause.ts"
import { describeStores } from "../testing/stores.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)
const token = CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
const caps = { chain: 100n, user: 60n }

describeStores(({ test, testOnTables }) => {
  test(
    "takes no more exposure than a chain and a user may have, under concurrency, and again what is released",
    Effect.gen(function*() {
      const [deposits, exposures] = [yield* Deposits, yield* Exposures]
      const take = (n: number, user: number, usdMicros: bigint, chainId = alpha) =>
        exposures.take({ onchainId: Hex32.make(id(n)), chainId, user: address(user), usdMicros }, caps).pipe(
          Effect.retry({ times: 50 })
        )
      const taken = yield* Effect.forEach(Array.from({ length: 30 }, (_, n) => n), (n) => take(n, n, 10n), {
        concurrency: "unbounded"
      })
      assert.strictEqual(taken.filter((one) => one).length, 10)
      const held = taken.flatMap((one, n) => one ? [n] : [])
      // The same deposit again is not a second exposure.
      assert.isTrue(yield* take(held[0] ?? 0, held[0] ?? 0, 10n))
      assert.isTrue(yield* take(100, 1, 60n, beta))
      assert.isFalse(yield* take(101, 1, 1n, beta))
      assert.isTrue(yield* take(102, 2, 40n, beta))
      yield* deposits.close(Hex32.make(id(100)), 1, "gone", 0)
      assert.isTrue(yield* take(101, 1, 1n, beta))
      assert.isFalse(yield* take(99, 9, 10n))
      yield* deposits.close(Hex32.make(id(held[0] ?? 0)), 1, "filled", 0)
      assert.isTrue(yield* take(99, 9, 10n))
      // A halted chain's deposits are no exposure that may be taken; another chain's are.
      const pauses = yield* Pauses
      const scope = { _tag: "Halt", chainId: alpha, height: 1n, expected: "0x1", found: "0x2" } as const
      yield* pauses.add({ id: pauseId(scope), scope, reason: "", createdAt: 0 })
      assert.isFalse(yield* take(99, 9, 10n))
      assert.isTrue(yield* take(103, 3, 1n, beta))
    })
  )

  test(
    "refunds no more unattested deposits in 24 hours than the cap, under concurrency, and each deposit once",
    Effect.gen(function*() {
      const unattested = yield* UnattestedRefunds
      const reserve = (n: number, usdMicros: bigint, at: number, cap = 100n) =>
        unattested.reserve({ onchainId: Hex32.make(id(n)), usdMicros }, cap, at).pipe(Effect.retry({ times: 50 }))
      const start = 1_800_000_000_000
      const given = yield* Effect.forEach(Array.from({ length: 30 }, (_, n) => n), (n) => reserve(n, 10n, start), {
        concurrency: "unbounded"
      })
      assert.strictEqual(given.filter((one) => one).length, 10)
      const [first = 0, second = 0] = given.flatMap((one, n) => one ? [n] : [])
      // A reservation stays, with its first value; no other refund fits.
      assert.isTrue(yield* reserve(first, 99n, start + 1))
      assert.isFalse(yield* reserve(100, 1n, start + 1))
      assert.isTrue(yield* reserve(100, 1n, start + 1, 101n))
      assert.isFalse(yield* reserve(101, 1n, start + 1, 101n))
      // With a cap of zero no refund fits, not even one with a reservation.
      assert.isFalse(yield* reserve(first, 10n, start + 1, 0n))
      // The first counts from its last call; the others stop counting after a day, to the millisecond.
      assert.isFalse(yield* reserve(101, 91n, start + UNATTESTED_WINDOW_MS - 1))
      assert.isFalse(yield* reserve(101, 90n, start + UNATTESTED_WINDOW_MS))
      assert.isTrue(yield* reserve(101, 89n, start + UNATTESTED_WINDOW_MS))
      // A refund that no longer counts has to fit again, with its new value.
      assert.isFalse(yield* reserve(second, 1n, start + UNATTESTED_WINDOW_MS))
      assert.isTrue(yield* reserve(second, 11n, start + UNATTESTED_WINDOW_MS + 1))
    })
  )

  testOnTables(
    "forgets reservations that were not signed two days after they were made",
    Effect.gen(function*() {
      const [unattested, sql] = [yield* UnattestedRefunds, yield* SqlClient.SqlClient]
      const reserve = (n: number, at: number) =>
        unattested.reserve({ onchainId: Hex32.make(id(n)), usdMicros: 1n }, 100n, at)
      const kept = Effect.map(
        sql`SELECT onchain_id FROM unattested_refunds ORDER BY onchain_id`,
        (rows) => rows.map((row) => row["onchain_id"])
      )
      yield* reserve(1, 1)
      yield* reserve(2, 2)
      yield* reserve(3, 2 * UNATTESTED_WINDOW_MS)
      assert.deepStrictEqual(yield* kept, [id(1), id(2), id(3)])
      yield* reserve(4, 2 * UNATTESTED_WINDOW_MS + 1)
      assert.deepStrictEqual(yield* kept, [id(2), id(3), id(4)])
    })
  )

  test(
    "queues a fill that waits, reserves nothing for it, and ends the wait with a reservation",
    Effect.gen(function*() {
      const reservations = yield* InventoryReservations
      const of = { chainId: alpha, currency: token, holding: "account" as const }
      const part = (n: number, amount: bigint) => ({
        ...of,
        part: "output" as const,
        orderId: OrderId.make(id(n)),
        amount
      })
      const line = Effect.map(
        reservations.claims(of),
        ({ waiting }) => waiting.map(({ amount, orderId, since, until }) => [Number(orderId), amount, since, until])
      )
      yield* reservations.note(part(1, 5n))
      yield* reservations.wait([part(1, 7n)], { since: 20, until: 30 })
      yield* reservations.wait([part(2, 11n), {
        ...part(2, 3n),
        part: "topup",
        currency: CurrencyAddress.make("0x000000000000000000000000000000000000beef")
      }], { since: 10, until: 40 })
      assert.deepStrictEqual(yield* line, [[2, 11n, 10, 40], [1, 7n, 20, 30]])
      assert.strictEqual((yield* reservations.claims(of)).promised, 0n)
      // It keeps the `since` and `until` of the first call.
      yield* reservations.wait([part(1, 8n)], { since: 1, until: 99 })
      assert.deepStrictEqual(yield* line, [[2, 11n, 10, 40], [1, 8n, 20, 30]])
      yield* reservations.take([part(2, 11n)])
      assert.deepStrictEqual([yield* line, (yield* reservations.claims(of)).promised], [[[1, 8n, 20, 30]], 11n])
      assert.lengthOf(
        (yield* reservations.claims({
          ...of,
          currency: CurrencyAddress.make("0x000000000000000000000000000000000000beef")
        })).waiting,
        0
      )
      yield* reservations.clear(OrderId.make(id(1)))
      yield* reservations.clear(OrderId.make(id(2)))
      assert.deepStrictEqual([yield* line, (yield* reservations.claims(of)).promised], [[], 0n])
    })
  )

  test(
    "adds up the reservations of one holding and currency, until they are used",
    Effect.gen(function*() {
      const reservations = yield* InventoryReservations
      const of = { chainId: alpha, currency: token, holding: "account" as const }
      const note = (n: number, amount: bigint, changes: object = {}) =>
        reservations.note({ ...of, part: "output", ...changes, orderId: OrderId.make(id(n)), amount })
      yield* note(1, 2n ** 255n)
      yield* note(2, 5n)
      yield* note(2, 7n)
      yield* note(3, 11n, { holding: "vault" })
      yield* note(4, 13n, { chainId: beta })
      assert.strictEqual((yield* reservations.claims(of)).promised, 2n ** 255n + 7n)
      assert.strictEqual((yield* reservations.claims({ ...of, holding: "vault" })).promised, 11n)
      yield* note(2, 17n, { part: "topup" })
      yield* note(1, 19n, { part: "topup", holding: "vault" })
      assert.deepStrictEqual([
        (yield* reservations.claims(of)).promised,
        (yield* reservations.claims({ ...of, holding: "vault" })).promised
      ], [
        2n ** 255n + 24n,
        30n
      ])
      yield* reservations.clear(OrderId.make(id(1)))
      assert.deepStrictEqual([
        (yield* reservations.claims(of)).promised,
        (yield* reservations.claims({ ...of, holding: "vault" })).promised
      ], [
        24n,
        11n
      ])
    })
  )
})
