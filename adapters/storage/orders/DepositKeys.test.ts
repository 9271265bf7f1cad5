/**
 * The stock of derived deposit addresses, on both engines: no place is used twice and no address has two orders,
 * whatever is restored.
 */
import { solana } from "../../../src/domain/families/solana/Rules.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { StoreCommands } from "../testing/StoreLayers.ts"
import { describeStores } from "../testing/stores.ts"

const order = (n: number) => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)
const keysOf = (generation: number, count: number, from = 0) =>
  Array.from(
    { length: count },
    (_, n) => ({ address: Address.make(`key-${generation}-${from + n}`), generation, number: from + n })
  )
const NOW = 1_800_000_000_000

describeStores(({ test, testOnTables }) => {
  const claims = (count: number, from: number) =>
    Effect.flatMap(
      DepositKeys,
      (keys) =>
        Effect.forEach(Array.from({ length: count }, (_, n) => from + n), (n) => keys.claim(solana, order(n)), {
          concurrency: "unbounded"
        })
    )

  test(
    "concurrent claims get different addresses, and none when the stock is empty",
    Effect.gen(function*() {
      const keys = yield* DepositKeys
      const generation = yield* keys.begin(solana, NOW)
      yield* keys.add(solana, keysOf(generation, 150))
      assert.strictEqual(yield* keys.free(solana), 150)
      const taken = yield* claims(150, 1)
      assert.strictEqual(new Set(taken).size, 150)
      assert.isFalse(taken.includes(undefined))
      assert.deepStrictEqual([yield* keys.free(solana), yield* keys.claim(solana, order(999))], [
        0,
        undefined
      ])
      assert.deepStrictEqual(yield* keys.find(Address.make(`key-${generation}-7`)), {
        address: Address.make(`key-${generation}-7`),
        generation,
        number: 7
      })
      assert.deepStrictEqual(yield* keys.lastClaimed(solana), {
        address: Address.make(`key-${generation}-149`),
        generation,
        number: 149
      })
      yield* keys.add(solana, keysOf(generation, 150))
      assert.strictEqual(yield* keys.free(solana), 0, "what was given away is never in the stock again")
    })
  )

  test(
    "every run has its own generation, numbered upwards, and drops the stock of others",
    Effect.gen(function*() {
      const keys = yield* DepositKeys
      const begun = yield* Effect.forEach(Array.from({ length: 20 }), () => keys.begin(solana, NOW), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(begun).size, 20)
      const last = Math.max(...begun)
      yield* keys.add(solana, keysOf(last, 5))
      yield* claims(2, 1)
      const next = yield* keys.begin(solana, NOW + 60_000)
      assert.isAbove(next, last)
      assert.strictEqual(yield* keys.free(solana), 0)
      assert.isDefined(yield* keys.lastClaimed(solana))
    })
  )

  testOnTables(
    "a store that was restored gives no address of its backup's stock away, and takes no generation that the lost one had",
    Effect.gen(function*() {
      const keys = yield* DepositKeys
      const sql = yield* SqlClient.SqlClient
      const first = yield* keys.begin(solana, NOW)
      yield* keys.add(solana, keysOf(first, 10))
      const stock = yield* sql`SELECT * FROM deposit_keys`
      const generations = yield* sql`SELECT * FROM deposit_key_generations`
      // After the backup: addresses are given away, and more workers run.
      const given = yield* claims(10, 1)
      const lost = yield* Effect.forEach([1, 2, 3], (n) => keys.begin(solana, NOW + n * 60_000))
      yield* sql`DELETE FROM deposit_keys`
      yield* sql`DELETE FROM deposit_key_generations`
      for (const row of generations) yield* sql`INSERT INTO deposit_key_generations ${sql.insert(row)}`
      for (const row of stock) yield* sql`INSERT INTO deposit_keys ${sql.insert(row)}`
      yield* (yield* StoreCommands).markRestored(NOW + 240_000)
      assert.isUndefined(yield* keys.claim(solana, order(77)), `given away before: ${given.length}`)
      assert.isAbove(yield* keys.begin(solana, NOW + 240_000), Math.max(...lost))
    })
  )
})
