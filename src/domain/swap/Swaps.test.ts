import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { Chain } from "../chain/Chain.ts"
import { Hex } from "../encoding/Hex.ts"
import { Bps } from "../money/Bps.ts"
import { refuseAll } from "../quote/request/GatherFaults.ts"
import { QuoteRequest } from "../quote/request/QuoteRequest.ts"
import { alpha, evmAddress, pricedOn } from "../quote/testing/Chains.ts"
import { chooseSwap } from "./ChooseSwap.ts"
import { bridgedCurrency, swapCalls } from "./DestinationSwap.ts"
import { swapPaths, withFees } from "./SwapPaths.ts"
import type { ExactSide, SwapQuote } from "./SwapQuote.ts"
import type { ChainSwaps, SwapSourceId } from "./SwapSource.ts"
import { allowedSources, resolveSwapWishes } from "./ResolveSwapWishes.ts"

const prices = {
  from: pricedOn(alpha, "USDC", "1"),
  to: pricedOn(alpha, "USDT", "1"),
  native: pricedOn(alpha, "ETH", "2500")
}

const swaps: ChainSwaps = {
  wrapped: evmAddress("ee"),
  through: [evmAddress("a1"), evmAddress("a9")],
  sources: [{ id: "uniswap-v3", router: evmAddress("d3"), quoter: evmAddress("d4"), feeTiers: [500, 3000] }, {
    id: "uniswap-v2",
    router: evmAddress("d2")
  }],
  currencies: []
}

const chain: Chain = { ...alpha, swaps }
const [USDC, USDT] = [prices.from.currency, prices.to.currency]

const quoteOf = (
  source: SwapSourceId,
  amountOut: bigint,
  gas = 0n,
  exact: ExactSide = "in",
  amountIn = 1_000_000n
): SwapQuote => ({
  source,
  router: evmAddress("d2"),
  ask: { chain, from: USDC, to: USDT, exact, amount: exact === "in" ? amountIn : amountOut },
  amountIn,
  amountOut,
  gas,
  path: { tokens: [], fees: [] }
})

const wishes = (changes: object) =>
  resolveSwapWishes(
    Schema.decodeUnknownSync(QuoteRequest)({
      user: "0x",
      originChainId: 1,
      destinationChainId: 1,
      originCurrency: "0x",
      destinationCurrency: "0x",
      amount: "1",
      tradeType: "EXACT_INPUT",
      ...changes
    })
  )

const names = fc.subarray<SwapSourceId>(["uniswap-v3", "uniswap-v2"])

describe("the choice of a swap", () => {
  it("takes the best output, and skips sources that give nothing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.bigInt(0n, 10n ** 12n), fc.bigInt(0n, 10n ** 6n))),
        fc.bigInt(0n, 10n ** 10n),
        (each, gasPrice) => {
          const quotes = each.map(([out, gas]) => quoteOf("uniswap-v2", out, gas))
          const chosen = chooseSwap({ quotes, gasPrice }, prices, undefined)
          const left = (quote: SwapQuote) =>
            quote.amountOut - (quote.gas * gasPrice * 2_500n + 10n ** 12n - 1n) / 10n ** 12n
          const possible = quotes.filter(({ amountOut }) => amountOut > 0n)
          assert.strictEqual(chosen === undefined, possible.length === 0)
          if (chosen !== undefined) assert.isTrue(possible.every((quote) => left(quote) <= left(chosen)))
        }
      ),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("takes the least input for an exact output", () => {
    const chosen = chooseSwap(
      {
        quotes: [quoteOf("uniswap-v3", 100n, 0n, "out", 120n), quoteOf("uniswap-v2", 100n, 0n, "out", 110n)],
        gasPrice: 0n
      },
      prices,
      undefined
    )
    assert.strictEqual(chosen?.amountIn, 110n)
  })

  it("prefers a source only within its share", () => {
    const preferred = { source: "uniswap-v3", withinBps: Bps(5n) } as const
    const taken = (out: bigint) =>
      chooseSwap(
        { quotes: [quoteOf("uniswap-v2", 1_000_000n), quoteOf("uniswap-v3", out)], gasPrice: 0n },
        prices,
        preferred
      )?.source
    assert.deepStrictEqual([taken(999_500n), taken(999_499n), taken(0n)], ["uniswap-v3", "uniswap-v2", "uniswap-v2"])
  })
})

describe("the paths of a swap", () => {
  it("go directly or through one other token, never in a circle, and use the wrapped token for native currency", () => {
    assert.deepStrictEqual(
      swapPaths({ from: USDC, to: USDT }, swaps).map(({ tokens }) => tokens.map((token) => token.slice(2, 4))),
      [["a1", "a2"], ["a1", "ee", "a2"], ["a1", "a9", "a2"]]
    )
    assert.deepStrictEqual(swapPaths({ from: alpha.native, to: USDC }, swaps)[0]?.tokens, [
      swaps.wrapped,
      evmAddress("a1")
    ])
    assert.deepStrictEqual(swapPaths({ from: USDC, to: USDC }, swaps), [])
  })

  it("take every fee between every two tokens", () => {
    const [, two = { tokens: [], fees: [] }] = swapPaths({ from: USDC, to: USDT }, swaps)
    assert.deepStrictEqual(withFees(two, [1, 2]).map(({ fees }) => fees), [[1, 1], [1, 2], [2, 1], [2, 2]])
  })
})

describe("the filters of a request", () => {
  it("allow sources that are included on their side and not excluded", () => {
    fc.assert(
      fc.property(
        names,
        names,
        names,
        names,
        fc.boolean(),
        (included, excluded, origin, destination, disableOriginSwaps) => {
          const found = Result.getOrThrow(wishes({
            includedSwapSources: included,
            excludedSwapSources: excluded,
            includedOriginSwapSources: origin,
            includedDestinationSwapSources: destination,
            disableOriginSwaps
          }))
          for (const [side, own] of [["origin", origin], ["destination", destination]] as const) {
            const allowed = allowedSources(chain, found, side).map(({ id }) => id)
            for (const { id } of swaps.sources) {
              const wanted = (included.length === 0 || included.includes(id)) &&
                (own.length === 0 || own.includes(id)) && !excluded.includes(id)
              assert.strictEqual(allowed.includes(id), wanted && !(side === "origin" && disableOriginSwaps))
            }
          }
        }
      ),
      { numRuns: inputs(200, 2_000) }
    )
  })

  it("list the available sources when one is unknown", () => {
    const refused = refuseAll(Result.getOrThrow(Result.flip(wishes({ excludedSwapSources: ["uniswap-v3", "sushi"] }))))
    assert.strictEqual(refused.code, "INVALID_REQUEST")
    assert.include(refused.message, "excludedSwapSources.1")
    assert.include(refused.message, "uniswap-v3, uniswap-v2")
  })
})

describe("the calls of a fill that swaps", () => {
  it("approve exactly the input before the swap, and nothing that is sent natively", () => {
    const swap = { to: evmAddress("d2"), data: Hex.make("0x01"), value: 0n }
    const [approval, ...rest] = swapCalls(quoteOf("uniswap-v2", 5n, 0n, "in", 255n), swap)
    assert.deepStrictEqual(rest, [swap])
    assert.deepStrictEqual<unknown>(approval, {
      to: evmAddress("a1"),
      data: `0x095ea7b3${"d2".repeat(20).padStart(64, "0")}${"ff".padStart(64, "0")}`,
      value: 0n
    })
    const native = quoteOf("uniswap-v2", 5n)
    assert.deepStrictEqual(swapCalls({ ...native, ask: { ...native.ask, from: alpha.native } }, swap), [swap])
  })

  it("swap the origin's own asset where the solver holds it, else what paths go through", () => {
    assert.strictEqual(bridgedCurrency(USDT, chain)?.symbol, "USDT")
    assert.strictEqual(bridgedCurrency({ ...USDC, symbol: "BTC" }, chain)?.symbol, "USDC")
    assert.isUndefined(bridgedCurrency(USDC, alpha))
  })
})
