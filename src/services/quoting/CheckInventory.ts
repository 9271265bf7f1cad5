/** Checks that the solver has enough unreserved inventory to deliver a quote. */
import * as Effect from "effect/Effect"
import { freeForNew, willWait } from "../../domain/market/FreeInventory.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"
import { holdingFor } from "./market/MarketFacts.ts"
import type { MarketFacts } from "./market/MarketFacts.ts"
import { claimsNow } from "./market/Facts.ts"
import type { Facts } from "./market/Facts.ts"
import { illiquid } from "./Refusals.ts"

/**
 * INSUFFICIENT_LIQUIDITY unless the paying holding has enough inventory that is not reserved for open requests. Returns
 * true when the request allows its fill to wait and the fill will have to.
 */
export const checkInventory = Effect.fnUntracedEager(
  function*(
    facts: Facts,
    request: ResolvedRequest,
    amountOut: bigint,
    { fillGas, rent = 0n, topupUnits = 0n }: MarketFacts
  ) {
    const { destination, destinationCurrency, externalLiquidity } = request
    const holding = holdingFor(request)
    const isShort = (currency: Currency, needed: bigint) =>
      Effect.mapEager(
        claimsNow(facts, destination, currency, holding),
        (held) => externalLiquidity ? willWait(held, needed, facts.now) : needed > freeForNew(held, facts.now)
      )
    const gas = destinationCurrency.isNative && holding === "account" ? fillGas + rent : 0n
    // A fill that swaps native currency pays its topup from the same holding.
    const own = amountOut + gas + (destinationCurrency.isNative ? topupUnits : 0n)
    const short = [
      ...((yield* isShort(destinationCurrency, own)) ? [destinationCurrency] : []),
      ...(topupUnits > 0n && !destinationCurrency.isNative && (yield* isShort(destination.native, topupUnits))
        ? [destination.native]
        : [])
    ]
    const [first] = short
    if (first !== undefined && !externalLiquidity) return yield* illiquid(request, first)
    return short.length > 0
  }
)
