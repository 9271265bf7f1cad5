import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { isKnown } from "../../../../ports/Known.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { Address } from "../../../domain/chain/Address.ts"
import { evmAddress } from "../../../domain/quote/testing/Chains.ts"
import { authorized, fill, refund } from "../testing/Payments.ts"
import { marketNow, openingNow } from "./Facts.ts"
import * as RecentGas from "./RecentGas.ts"

describe("cached gas costs", () => {
  it.effect("of a quote are not those of a payment whose amount is known", () =>
    Effect.gen(function*() {
      const chain = Layer.mock(Gas, { ofPayment: ({ amount }) => Effect.succeed(amount * 3n) })
      yield* Effect.gen(function*() {
        const gas = yield* Gas
        assert.strictEqual(yield* gas.ofPayment(refund), 3n)
        assert.strictEqual(yield* gas.ofPayment({ ...refund, amount: 7n }), 21n)
      }).pipe(Effect.provide(RecentGas.layer(60_000).pipe(Layer.provide(chain))))
    }))

  it.effect("are shared, except the recipient's rent: the next quote knows that its account has been opened", () =>
    Effect.gen(function*() {
      const asked = { cost: 0n, rent: 2n }
      const chain = Layer.mock(Gas, {
        ofPayment: () => Effect.sync(() => asked.cost += 1n),
        opening: () => Effect.sync(() => ({ rent: asked.rent, least: 0n }))
      })
      yield* Effect.gen(function*() {
        const gas = yield* Gas
        assert.deepStrictEqual([yield* gas.ofPayment(refund), yield* gas.ofPayment(refund)], [1n, 1n])
        assert.strictEqual((yield* gas.opening(refund)).rent, 2n)
        asked.rent = 0n
        assert.strictEqual((yield* gas.opening(refund)).rent, 0n)
      }).pipe(Effect.provide(RecentGas.layer(60_000).pipe(Layer.provide(chain))))
    }))

  it.effect("with them whether a recipient of native currency has code, known without a step; authorizations are asked about each time", () =>
    Effect.gen(function*() {
      let asked = 0
      const chain = Layer.mock(Gas, {
        opening: () => Effect.sync(() => (asked += 1, { rent: 0n, least: 0n, code: "present" as const }))
      })
      yield* Effect.gen(function*() {
        const at = yield* marketNow
        assert.isFalse(isKnown(openingNow(at, fill)))
        for (let again = 0; again < 3; again += 1) assert.strictEqual((yield* openingNow(at, fill)).code, "present")
        assert.isTrue(isKnown(openingNow(at, fill)))
        assert.strictEqual(asked, 1)
        yield* openingNow(at, authorized)
        yield* openingNow(at, { ...fill, recipient: Address.make(evmAddress("98")) })
        assert.strictEqual(asked, 3)
      }).pipe(Effect.provide(Layer.merge(
        RecentGas.layer(60_000).pipe(Layer.provide(chain)),
        Layer.mock(Prices, {})
      )))
    }))
})
