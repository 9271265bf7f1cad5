/** The contract of awaited direct payments, on both engines. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Sends } from "../../../ports/store/orders/Sends.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import * as SqlSends from "./Sends.ts"
import { describeEngines } from "../testing/engines.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)

const order = (n: number) => OrderId.make(Hex32.make(id(n)))

const seen = (n: number, block = 7) => ({
  orderId: order(n),
  transactionId: TransactionId.make(id(100 + n)),
  block: { height: BigInt(block), hash: id(block), time: 1_700_000_000 }
})

/** A direct payment as `Transfers.add` makes it. */
const awaited = (n: number, chain = alpha, quotedAt = n) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`INSERT INTO sends ${sql.insert({ order_id: id(n), chain_id: chain, quoted_at: quotedAt, state: "awaited" })}`
  )

describeEngines((_name, engine) => {
  const repositories = SqlSends.layer.pipe(Layer.provideMerge(layerMigrations(migrations)), Layer.provideMerge(engine))
  const test = <E>(name: string, effect: Effect.Effect<void, E, Sends | SqlClient.SqlClient>) =>
    it.live(name, () => effect.pipe(Effect.provide(repositories)))

  test(
    "looking begins once, moves with what was seen, and ends when nothing is awaited",
    Effect.gen(function*() {
      const sends = yield* Sends
      yield* awaited(1)
      assert.isUndefined(yield* sends.cursor(alpha))
      yield* sends.anchor(alpha, { height: 3n, hash: "0x3" })
      yield* sends.anchor(alpha, { height: 9n, hash: "0x9" })
      assert.deepStrictEqual(yield* sends.cursor(alpha), { height: 3n, hash: "0x3" })
      yield* sends.record(alpha, { height: 4n, hash: "0x4" }, [])
      assert.deepStrictEqual(yield* sends.cursor(alpha), { height: 4n, hash: "0x4" })
      yield* sends.rest(alpha, 1)
      assert.isDefined(yield* sends.cursor(alpha), "one is awaited that was quoted then")
      yield* sends.rest(beta, 99)
      assert.isDefined(yield* sends.cursor(alpha), "another chain's rest")
      yield* sends.record(alpha, { height: 5n, hash: "0x5" }, [seen(1)])
      yield* sends.rest(alpha, 99)
      assert.isDefined(yield* sends.cursor(alpha), "one is not settled")
      yield* sends.settle(order(1))
      yield* sends.rest(alpha, 99)
      assert.isUndefined(yield* sends.cursor(alpha))
    })
  )

  test(
    "one is seen once, lost and found again, and settled for good",
    Effect.gen(function*() {
      const sends = yield* Sends
      yield* awaited(1)
      yield* awaited(2)
      yield* awaited(3, beta)
      yield* sends.note(seen(2))
      yield* sends.note(seen(1))
      yield* sends.note(seen(3))
      yield* sends.note(seen(99))
      assert.deepStrictEqual(yield* sends.unsettled(alpha), [seen(1), seen(2)], "in the order of their quotes")
      yield* sends.note(seen(1, 8))
      assert.deepStrictEqual(yield* sends.find(order(1)), seen(1))
      yield* sends.lose(order(1))
      assert.isUndefined(yield* sends.find(order(1)))
      yield* sends.note(seen(1, 8))
      assert.deepStrictEqual(yield* sends.find(order(1)), seen(1, 8))
      yield* sends.settle(order(1))
      yield* sends.lose(order(1))
      yield* sends.note(seen(1, 9))
      assert.deepStrictEqual(yield* sends.find(order(1)), seen(1, 8))
      assert.deepStrictEqual(yield* sends.unsettled(alpha), [seen(2)])
      yield* sends.settle(order(99))
      assert.isUndefined(yield* sends.find(order(99)))
    })
  )
})
