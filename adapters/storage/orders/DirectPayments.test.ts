/** The contract of awaited direct payments, on both engines. */
import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { describeStores } from "../testing/stores.ts"
import { transferOf } from "../testing/Transfers.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)

const order = (n: number) => OrderId.make(Hex32.make(id(n)))

const seen = (n: number, block = 7) => ({
  orderId: order(n),
  transactionId: TransactionId.make(id(100 + n)),
  block: { height: BigInt(block), hash: id(block), time: 1_700_000_000 }
})

const awaited = (n: number, chain = alpha, quotedAt = n, scanFrom?: Cursor) =>
  Effect.flatMap(Transfers, (transfers) => {
    const transfer = transferOf(n, { quotedAt })
    const terms = { ...transfer.terms, originChainId: chain, send: true as const }
    return transfers.add({ ...transfer, orderId: order(n), terms }, scanFrom)
  })

describeStores(({ test, testOnTables }) => {
  test(
    "the scan of a chain begins in the transaction of the first transfer that waits for it",
    Effect.gen(function*() {
      const directPayments = yield* DirectPayments
      yield* awaited(1, alpha, 1, { height: 3n, hash: "0x3" })
      assert.deepStrictEqual(yield* directPayments.cursor(alpha), { height: 3n, hash: "0x3" })
      yield* awaited(2, alpha, 2, { height: 9n, hash: "0x9" })
      assert.deepStrictEqual(yield* directPayments.cursor(alpha), { height: 3n, hash: "0x3" })
      // What is not stored begins nothing.
      assert.isTrue(Exit.isFailure(yield* Effect.exit(awaited(1, beta, 1, { height: 4n, hash: "0x4" }))))
      assert.isUndefined(yield* directPayments.cursor(beta))
    })
  )

  testOnTables(
    "a transfer that is added while its chain's scan ends is scanned for",
    Effect.gen(function*() {
      const directPayments = yield* DirectPayments
      for (let n = 1; n <= 100; n++) {
        const from = { height: BigInt(n), hash: id(n) }
        yield* directPayments.anchor(alpha, from)
        // Whatever is quoted before it is not awaited any more.
        yield* Effect.all([directPayments.rest(alpha, n), awaited(n, alpha, n, from)], { concurrency: 2 })
        assert.isDefined(yield* directPayments.cursor(alpha), `round ${n}`)
        yield* directPayments.rest(alpha, n + 1)
      }
    })
  )

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
