import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Gas } from "../../../../ports/chain/Gas.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { Address } from "../../../domain/chain/Address.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { alpha, evmAddress } from "../../../domain/quote/testing/Chains.ts"
import * as RecentGas from "./RecentGas.ts"

const payment: Payment = {
  _tag: "Refund",
  chain: alpha,
  currency: alpha.native,
  recipient: Address.make(evmAddress("99")),
  orderId: OrderId.make(`0x${"ff".repeat(32)}`),
  amount: 1n
}

describe("cached gas costs", () => {
  it.effect("of a quote are not those of a payment whose amount is known", () =>
    Effect.gen(function*() {
      const chain = Layer.mock(Gas, { ofPayment: ({ amount }) => Effect.succeed(amount * 3n) })
      yield* Effect.gen(function*() {
        const gas = yield* Gas
        assert.strictEqual(yield* gas.ofPayment(payment), 3n)
        assert.strictEqual(yield* gas.ofPayment({ ...payment, amount: 7n }), 21n)
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
        assert.deepStrictEqual([yield* gas.ofPayment(payment), yield* gas.ofPayment(payment)], [1n, 1n])
        assert.strictEqual((yield* gas.opening(payment)).rent, 2n)
        asked.rent = 0n
        assert.strictEqual((yield* gas.opening(payment)).rent, 0n)
      }).pipe(Effect.provide(RecentGas.layer(60_000).pipe(Layer.provide(chain))))
    }))
})
