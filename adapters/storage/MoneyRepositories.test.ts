import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Exposures } from "../../ports/Exposures.ts"
import { Promises } from "../../ports/Promises.ts"
import { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../src/domain/chain/Hex.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { layerMigrations } from "./engine/Migrations.ts"
import * as SqlExposures from "./Exposures.ts"
import { migrations } from "./migrations/index.ts"
import * as SqlPromises from "./Promises.ts"
import { describeEngines } from "./testing/engines.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)
const token = CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
const caps = { chain: 100n, user: 60n }

describeEngines((_name, engine) => {
  const repositories = Layer.mergeAll(SqlExposures.layer, SqlPromises.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )
  const test = <E>(name: string, effect: Effect.Effect<void, E, Exposures | Promises>) =>
    it.live(name, () => effect.pipe(Effect.provide(repositories)))

  test("takes no more exposure than a chain and a user may have, whoever asks at once, and again what is released", Effect.gen(function*() {
    const exposures = yield* Exposures
    const take = (n: number, user: number, usdMicros: bigint, chainId = alpha) =>
      exposures.take({ onchainId: Hex32.make(id(n)), chainId, user: address(user), usdMicros }, caps).pipe(Effect.retry({ times: 50 }))
    const taken = yield* Effect.forEach(Array.from({ length: 30 }, (_, n) => n), (n) => take(n, n, 10n), { concurrency: "unbounded" })
    assert.strictEqual(taken.filter((one) => one).length, 10)
    const held = taken.flatMap((one, n) => one ? [n] : [])
    // The same deposit again is no second exposure.
    assert.isTrue(yield* take(held[0] ?? 0, held[0] ?? 0, 10n))
    assert.isTrue(yield* take(100, 1, 60n, beta))
    assert.isFalse(yield* take(101, 1, 1n, beta))
    assert.isTrue(yield* take(102, 2, 40n, beta))
    yield* exposures.release(Hex32.make(id(100)))
    assert.isTrue(yield* take(101, 1, 1n, beta))
    assert.isFalse(yield* take(99, 9, 10n))
    yield* exposures.release(Hex32.make(id(held[0] ?? 0)))
    assert.isTrue(yield* take(99, 9, 10n))
  }))

  test("adds up what is promised of one holding and currency, until it is kept", Effect.gen(function*() {
    const promises = yield* Promises
    const of = { chainId: alpha, currency: token, holding: "account" as const }
    const note = (n: number, amount: bigint, changes: object = {}) => promises.note({ ...of, ...changes, orderId: OrderId.make(id(n)), amount })
    yield* note(1, 2n ** 255n)
    yield* note(2, 5n)
    yield* note(2, 7n)
    yield* note(3, 11n, { holding: "vault" })
    yield* note(4, 13n, { chainId: beta })
    assert.strictEqual(yield* promises.total(of), 2n ** 255n + 7n)
    assert.strictEqual(yield* promises.total({ ...of, holding: "vault" }), 11n)
    yield* promises.clear(OrderId.make(id(1)))
    assert.strictEqual(yield* promises.total(of), 7n)
  }))

  it.live("takes over from a store of the version before: what payments on their way can cost stays reserved", () =>
    Effect.gen(function*() {
      const released = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0003_money"))
      assert.lengthOf(Object.keys(released), 2)
      const sql = yield* SqlClient.SqlClient
      yield* Layer.build(layerMigrations(released))
      const old = (n: number, state: string) => ({
        order_id: id(n), leg: "fill", deposit: id(n), chain_id: alpha, account: address(1), sequence: `${n}`, recipient: address(2),
        currency: `0x${"0".repeat(40)}`, amount: "5", native_cost: "7", transaction_id: id(100 + n), raw: "0x", state, signed_at: 1
      })
      yield* sql`INSERT INTO payments ${sql.insert([old(1, "sent"), old(2, "included")])}`
      yield* Layer.build(layerMigrations(migrations))
      const rows = yield* sql`SELECT transaction_id, holder, amount FROM payment_costs`
      assert.deepStrictEqual(rows.map((row) => ({ ...row })), [{ transaction_id: id(101), holder: address(1), amount: "7" }])
      assert.lengthOf(yield* sql`SELECT order_id FROM payments`, 2)
      // Each is its own first variant: it is found as it was signed.
      const variants = yield* sql`SELECT transaction_id, variant, raw FROM payment_variants ORDER BY transaction_id`
      assert.deepStrictEqual(variants.map((row) => [row["transaction_id"], Number(row["variant"]), row["raw"]]), [[id(101), 0, "0x"], [id(102), 0, "0x"]])
    }).pipe(Effect.scoped, Effect.provide(engine)))
})
