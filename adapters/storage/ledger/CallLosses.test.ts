/** What reverted calls may cost in a day, in total and for one sender, on both engines. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { CALL_LOSSES_WINDOW_MS, CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { describeStores } from "../testing/stores.ts"

const caps = { all: 100n, sender: 60n }
const start = 1_800_000_000_000
const lossOf = (order: number, sender: string, usdMicros: bigint) => ({
  orderId: OrderId.make(`0x${order.toString(16).padStart(64, "0")}`),
  sender: Address.make(`0x${sender.repeat(40)}`),
  usdMicros
})

describeStores(({ test }) => {
  test(
    "losses by calls fit under both caps, once for each order, for a day, and count by their actual amount",
    Effect.gen(function*() {
      const losses = yield* CallLosses
      assert.isTrue(yield* losses.reserve(lossOf(1, "a", 50n), caps, start))
      // A second call for one order counts once, and one sender's share does not count for another.
      assert.isTrue(yield* losses.reserve(lossOf(1, "a", 60n), caps, start))
      assert.isFalse(yield* losses.reserve(lossOf(2, "a", 1n), caps, start))
      assert.isTrue(yield* losses.reserve(lossOf(2, "b", 40n), caps, start))
      assert.isFalse(yield* losses.reserve(lossOf(3, "c", 1n), caps, start))
      assert.strictEqual(yield* losses.spent(start), 100n)
      // A fill that succeeded has cost nothing; a reverted one counts with its cost, whatever the cap is.
      yield* losses.settle(lossOf(1, "a", 0n), start)
      assert.strictEqual(yield* losses.spent(start), 40n)
      yield* losses.settle(lossOf(4, "d", 70n), start)
      assert.isFalse(yield* losses.reserve(lossOf(3, "c", 1n), caps, start))
      const nextDay = start + CALL_LOSSES_WINDOW_MS
      assert.strictEqual(yield* losses.spent(nextDay), 0n)
      assert.isTrue(yield* losses.reserve(lossOf(3, "c", 60n), caps, nextDay))
    })
  )

  test(
    "concurrent reservations see each other",
    Effect.gen(function*() {
      const losses = yield* CallLosses
      const all = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        (n) => losses.reserve(lossOf(n, `${n}`, 40n), caps, start),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(all.filter((fits) => fits), 2)
    })
  )
})
