/** The contract of awaited direct payments, on both engines. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import * as SqlDirectPayments from "./DirectPayments.ts"
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
  const repositories = SqlDirectPayments.layer.pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )
  const test = <E>(name: string, effect: Effect.Effect<void, E, DirectPayments | SqlClient.SqlClient>) =>
    it.live(name, () => effect.pipe(Effect.provide(repositories)))

  test(
    "scanning begins once, moves with what was seen, and ends when nothing is awaited",
    Effect.gen(function*() {
      const directPayments = yield* DirectPayments
      yield* awaited(1)
      assert.isUndefined(yield* directPayments.cursor(alpha))
      yield* directPayments.anchor(alpha, { height: 3n, hash: "0x3" })
      yield* directPayments.anchor(alpha, { height: 9n, hash: "0x9" })
      assert.deepStrictEqual(yield* directPayments.cursor(alpha), { height: 3n, hash: "0x3" })
      yield* directPayments.record(alpha, { height: 4n, hash: "0x4" }, [])
      assert.deepStrictEqual(yield* directPayments.cursor(alpha), { height: 4n, hash: "0x4" })
      yield* directPayments.rest(alpha, 1)
      assert.isDefined(yield* directPayments.cursor(alpha), "one is awaited that was quoted then")
      yield* directPayments.rest(beta, 99)
      assert.isDefined(yield* directPayments.cursor(alpha), "another chain's rest")
      yield* directPayments.record(alpha, { height: 5n, hash: "0x5" }, [seen(1)])
      yield* directPayments.rest(alpha, 99)
      assert.isDefined(yield* directPayments.cursor(alpha), "one is not settled")
      yield* directPayments.settle(order(1))
      yield* directPayments.rest(alpha, 99)
      assert.isUndefined(yield* directPayments.cursor(alpha))
    })
  )

  test(
    "a direct payment is seen once, lost and found again, and then final",
    Effect.gen(function*() {
      const directPayments = yield* DirectPayments
      yield* awaited(1)
      yield* awaited(2)
      yield* awaited(3, beta)
      yield* directPayments.note(seen(2))
      yield* directPayments.note(seen(1))
      yield* directPayments.note(seen(3))
      yield* directPayments.note(seen(99))
      assert.deepStrictEqual(yield* directPayments.unsettled(alpha), [seen(1), seen(2)], "in the order of their quotes")
      yield* directPayments.note(seen(1, 8))
      assert.deepStrictEqual(yield* directPayments.find(order(1)), seen(1))
      yield* directPayments.lose(order(1))
      assert.isUndefined(yield* directPayments.find(order(1)))
      yield* directPayments.note(seen(1, 8))
      assert.deepStrictEqual(yield* directPayments.find(order(1)), seen(1, 8))
      yield* directPayments.settle(order(1))
      yield* directPayments.lose(order(1))
      yield* directPayments.note(seen(1, 9))
      assert.deepStrictEqual(yield* directPayments.find(order(1)), seen(1, 8))
      assert.deepStrictEqual(yield* directPayments.unsettled(alpha), [seen(2)])
      yield* directPayments.settle(order(99))
      assert.isUndefined(yield* directPayments.find(order(99)))
    })
  )
})
