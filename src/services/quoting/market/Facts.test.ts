import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { alpha, priced } from "../../../domain/quote/testing/Chains.ts"
import { authorized, refund } from "../testing/Payments.ts"
import { isKnown } from "../../../../ports/Known.ts"
import { costNow, marketNow, priceNow } from "./Facts.ts"
import * as RecentGas from "./RecentGas.ts"

const MAX_AGE = 1_000

describe("the facts of a moment", () => {
  it.effect("are known once they were asked for, until they are too old, and are the port's until then", () =>
    Effect.gen(function*() {
      let asked = 0n
      const chain = Layer.mock(Gas, { ofPayment: () => Effect.sync(() => asked += 1n) })
      const prices = Layer.succeed(Prices, { priceOf: (of) => Effect.sync(() => priced(of, "1")) })
      yield* Effect.gen(function*() {
        const cost = Effect.map(marketNow, (at) => costNow(at, refund))
        assert.isFalse(isKnown(yield* cost))
        assert.strictEqual(yield* yield* cost, 1n)
        yield* TestClock.adjust(MAX_AGE / 2)
        const known = yield* cost
        assert.isTrue(isKnown(known))
        assert.strictEqual(yield* known, 1n)
        const at = yield* marketNow
        // A moment before it was asked for.
        assert.isFalse(isKnown(costNow({ ...at, now: at.now - MAX_AGE }, refund)))
        yield* TestClock.adjust(MAX_AGE / 2)
        assert.isFalse(isKnown(yield* cost))
        assert.strictEqual(yield* yield* cost, 2n)
        // Tried each time, however often it was asked for.
        assert.strictEqual(yield* yield* Effect.map(marketNow, (now) => costNow(now, authorized)), 3n)
        assert.isFalse(isKnown(costNow(yield* marketNow, authorized)))
        // A port that keeps nothing knows nothing.
        const price = priceNow(yield* marketNow, alpha.native)
        assert.isFalse(isKnown(price))
        assert.deepStrictEqual(yield* price, priced(alpha.native, "1"))
      }).pipe(Effect.provide(RecentGas.layer(MAX_AGE).pipe(Layer.provide(chain), Layer.merge(prices))))
    }))
})
