/** What is left of a deposit does not depend on one endpoint's word about a fee (REFUND-18). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CostsBy } from "../../../../ports/chain/CostsBy.ts"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { alpha, evmAddress, priced } from "../../../domain/quote/testing/Chains.ts"
import { priceRefund } from "./PriceRefund.ts"

const AMOUNT = 1_000n

interface Costs {
  readonly payment: bigint
  readonly sweep: bigint
}

/** The net of a refund, and how often the quorum was asked. */
const netOf = Effect.fnUntraced(function*(one: Costs, quorum: Costs, came: "sent" | "swept") {
  let asked = 0
  const costs = Effect.map(CostsBy, (by) => {
    if (by === "endpoint") return one
    asked += 1
    return quorum
  })
  const net = yield* priceRefund(
    {
      _tag: "Refund",
      chain: alpha,
      currency: alpha.native,
      recipient: evmAddress("22"),
      amount: AMOUNT,
      orderId: OrderId.make(`0x${"1".repeat(64)}`)
    },
    came,
    0n
  ).pipe(
    Effect.provide(Layer.mergeAll(
      Layer.mock(Gas, {
        ofPayment: () => Effect.map(costs, ({ payment }) => payment),
        ofSweep: () => Effect.map(costs, ({ sweep }) => sweep),
        opening: () => Effect.succeed({ rent: 0n, least: 0n }),
        unitsOf: () => Effect.succeed(21_000n)
      }),
      Layer.mock(Prices, { priceOf: (currency) => Effect.succeed(priced(currency, "2000")) })
    ))
  )
  return { net: net === "refused" ? net : net.net, asked }
})

describe("the net of a refund", () => {
  it.effect("is not zero because one endpoint names a great fee", () =>
    Effect.gen(function*() {
      const great = { payment: 10n ** 20n, sweep: 0n }
      assert.deepStrictEqual(yield* netOf(great, { payment: 7n, sweep: 0n }, "sent"), { net: AMOUNT - 7n, asked: 1 })
      // Nor next to nothing.
      const almost = { payment: AMOUNT - 1n, sweep: 0n }
      assert.deepStrictEqual(yield* netOf(almost, { payment: 7n, sweep: 0n }, "sent"), { net: AMOUNT - 7n, asked: 1 })
    }))

  it.effect("nor because one names a great fee for the sweep", () =>
    Effect.gen(function*() {
      const great = { payment: 7n, sweep: 10n ** 20n }
      assert.deepStrictEqual((yield* netOf(great, { payment: 7n, sweep: 3n }, "swept")).net, AMOUNT - 10n)
    }))

  it.effect("is zero where the quorum names as much", () =>
    Effect.gen(function*() {
      const great = { payment: 2n * AMOUNT, sweep: 0n }
      assert.deepStrictEqual(yield* netOf(great, great, "sent"), { net: 0n, asked: 1 })
    }))

  it.effect("asks nobody else while the fee is a tenth of the deposit or less", () =>
    Effect.gen(function*() {
      const usual = { payment: AMOUNT / 10n, sweep: 0n }
      assert.deepStrictEqual(yield* netOf(usual, { payment: 1n, sweep: 0n }, "sent"), {
        net: AMOUNT - AMOUNT / 10n,
        asked: 0
      })
    }))
})
