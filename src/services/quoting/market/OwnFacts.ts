/** The facts of a transfer that the user executes alone within one chain: prices. Nothing is filled or refunded. */
import * as Effect from "effect/Effect"
import { Prices } from "../../../../ports/market/Prices.ts"
import type { ResolvedRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import type { MarketFacts } from "./MarketFacts.ts"

export const gatherOwnFacts = Effect.fnUntraced(
  function*({ destinationCurrency, origin: chain, originCurrency }: ResolvedRequest) {
    const prices = yield* Prices
    const [origin, destination, native] = yield* Effect.all([
      prices.priceOf(originCurrency),
      prices.priceOf(destinationCurrency),
      prices.priceOf(chain.native)
    ], { concurrency: "unbounded" })
    return {
      origin,
      destination,
      originNative: native,
      destinationNative: native,
      fillGas: 0n,
      refundGas: 0n
    } satisfies MarketFacts
  }
)
