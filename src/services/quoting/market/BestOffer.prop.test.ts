/** A refusal of a swap advises only what helps: following it gives a quote, and "no pool" is said of no other pool. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { unitsForUsdCeil } from "../../../domain/money/Currency.ts"
import { usdFromMicros } from "../../../domain/money/Usd.ts"
import { QuoteRequest } from "../../../domain/quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import { evmAddress } from "../../../domain/quote/testing/Chains.ts"
import type { SwapAsk } from "../../../domain/swap/SwapQuote.ts"
import { bestOffer } from "./BestOffer.ts"
import { atMarket, chains, find } from "../testing/Market.ts"

const [chain] = chains
const [from, to] = [find(chain, "GEM"), find(chain, "USDC")]
const between = { from: atMarket(from), to: atMarket(to) }

/** Smallest units of what is exact. */
const unitsOf = (exact: SwapAsk["exact"], micros: bigint) =>
  unitsForUsdCeil(usdFromMicros(micros), exact === "in" ? between.from : between.to)

/** A pool that gives from `least` to `most` dollars' worth, in millionths, and is away after so many reads. */
interface Pool {
  readonly least: bigint
  readonly most: bigint
  readonly reads: number
}

const sourcesOf = ({ least, most, reads }: Pool) => {
  let read = 0
  return Layer.mock(SwapSources, {
    encode: () => assert.fail("nothing is sent"),
    offers: (ask, sources) => {
      if (read++ === reads) {
        return Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "swap quotes", kind: "timeout" }))
      }
      const gives = unitsOf(ask.exact, least) <= ask.amount && ask.amount <= unitsOf(ask.exact, most)
      const one = {
        router: evmAddress("d2"),
        ask,
        amountIn: 1n,
        amountOut: 1n,
        gas: 1n,
        path: { tokens: [], fees: [] }
      }
      return Effect.succeed({ gasPrice: 1n, quotes: gives ? sources.map(({ id }) => ({ ...one, source: id })) : [] })
    }
  })
}

const quoted = (pool: Pool, exact: SwapAsk["exact"], micros: bigint, wishes: object = {}) => {
  const request = Result.getOrThrow(resolveRequest(
    Schema.decodeUnknownSync(QuoteRequest)({
      user: evmAddress("11"),
      originChainId: 1,
      destinationChainId: 1,
      originCurrency: from.address,
      destinationCurrency: to.address,
      tradeType: "EXACT_INPUT",
      amount: "1",
      ...wishes
    }),
    chains
  ))
  return bestOffer(request, "origin", { chain, from, to, exact, amount: unitsOf(exact, micros) }, between).pipe(
    Effect.as("given"),
    Effect.catchTag("QuoteRefused", ({ code, message }) => Effect.succeed(`${code}: ${message}`)),
    Effect.provide(
      Layer.merge(sourcesOf(pool), Layer.succeed(Prices, { priceOf: (of) => Effect.succeed(atMarket(of)) }))
    )
  )
}

const DOLLAR = 1_000_000n
const ever = Number.POSITIVE_INFINITY

const cases = fc.record({
  exact: fc.constantFrom("in", "out"),
  bounds: fc.tuple(fc.bigInt(1n, 10n * DOLLAR), fc.bigInt(1n, 10n ** 12n)),
  micros: fc.bigInt(1n, 10n ** 13n)
})

describe("the refusal of a swap", () => {
  it.effect("advises another amount exactly where one dollar's worth is given", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(cases, async ({ bounds: [a, b], exact, micros }) => {
          const pool = a < b ? { least: a, most: b, reads: ever } : { least: b, most: a, reads: ever }
          const [said, dollar] = await Effect.runPromise(
            Effect.all([quoted(pool, exact, micros), quoted(pool, exact, DOLLAR)])
          )
          if (said === "given") return
          assert.match(said, /^NO_SWAP_ROUTES_FOUND: no /u)
          const advice = dollar !== "given"
            ? "no pool of"
            : unitsOf(exact, micros) < unitsOf(exact, DOLLAR)
            ? "try a larger amount"
            : "try a smaller amount"
          for (const each of ["no pool of", "try a larger amount", "try a smaller amount"]) {
            assert.strictEqual(said.includes(each), each === advice, said)
          }
        }),
        { numRuns: inputs(300) }
      )
    ))

  it.effect("names the sources when the request allows none, and gives no cause while the chain is unreachable", () =>
    Effect.gen(function*() {
      const none = { least: 1n, most: 0n }
      assert.include(
        yield* quoted({ ...none, reads: ever }, "in", DOLLAR, { disableOriginSwaps: true }),
        "is allowed on that chain"
      )
      const away = yield* quoted({ ...none, reads: 1 }, "in", DOLLAR)
      assert.include(away, "NO_SWAP_ROUTES_FOUND")
      assert.notInclude(away, "no pool")
    }))
})
