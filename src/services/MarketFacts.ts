/** The facts that pricing a transfer rests on, gathered from the ports in parallel: prices, and gas on both sides. */
import * as Effect from "effect/Effect"
import { Gas } from "../../ports/Gas.ts"
import { Prices } from "../../ports/Prices.ts"
import type { Address } from "../domain/chain/Address.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import type { Currency, PricedCurrency } from "../domain/money/Currency.ts"
import { OrderId } from "../domain/order/Order.ts"
import type { RouterCall } from "../domain/order/RouterCall.ts"

export interface Route {
  readonly origin: Chain
  readonly originCurrency: Currency
  readonly destination: Chain
  readonly destinationCurrency: Currency
  readonly recipient: Address
  readonly refundTo: Address
  readonly calls: ReadonlyArray<RouterCall>
  readonly callsGas: bigint | undefined
}

export interface MarketFacts {
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  readonly originNative: PricedCurrency
  readonly destinationNative: PricedCurrency
  /** Smallest units of the destination's native currency. */
  readonly fillGas: bigint
  /** Smallest units of the origin's native currency. */
  readonly refundGas: bigint
}

/** Any id costs the same to carry; this one has no zero byte, which would be cheaper. */
const gasId = OrderId.make(`0x${"ff".repeat(32)}`)

export const gatherMarketFacts = Effect.fn("MarketFacts.gather")(function*(route: Route) {
  const prices = yield* Prices
  const gas = yield* Gas
  const { destination, destinationCurrency, origin, originCurrency } = route
  const [originPrice, destinationPrice, originNative, destinationNative, fillGas, refundGas] = yield* Effect.all([
    prices.priceOf(originCurrency),
    prices.priceOf(destinationCurrency),
    prices.priceOf(origin.native),
    prices.priceOf(destination.native),
    gas.ofPayment({ chain: destination, currency: destinationCurrency, recipient: route.recipient, orderId: gasId, calls: route.calls, callsGas: route.callsGas }),
    gas.ofPayment({ chain: origin, currency: originCurrency, recipient: route.refundTo, orderId: gasId })
  ], { concurrency: "unbounded" })
  return {
    origin: originPrice,
    destination: destinationPrice,
    originNative,
    destinationNative,
    fillGas,
    refundGas
  } satisfies MarketFacts
})
