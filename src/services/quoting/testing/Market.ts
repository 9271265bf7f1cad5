/** Two chains with a currency that the solver does not hold, at fixed prices, and sources whose pools move. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { Hex } from "../../../domain/encoding/Hex.ts"
import { asCurrency } from "../../../domain/families/AddressCodec.ts"
import { convertCeil, convertFloor } from "../../../domain/money/Currency.ts"
import type { Currency, PricedCurrency } from "../../../domain/money/Currency.ts"
import { alpha, beta, currency, evmAddress, priced } from "../../../domain/quote/testing/Chains.ts"
import type { SwapAsk, SwapQuote } from "../../../domain/swap/SwapQuote.ts"

/** With a currency that the solver does not hold, two sources, and what swaps before a deposit. */
const swapping = (chain: Chain, hub: string): Chain => ({
  ...chain,
  swaps: {
    wrapped: evmAddress("ee"),
    through: [evmAddress(hub)],
    sources: [{ id: "uniswap-v3", router: evmAddress("d3"), quoter: evmAddress("d4"), feeTiers: [500] }, {
      id: "uniswap-v2",
      router: evmAddress("d2")
    }],
    currencies: [currency(chain.id, "GEM", 18, asCurrency(evmAddress("9e")), false)],
    depositor: evmAddress("de"),
    handover: evmAddress("da")
  }
})
export const chains = [swapping(alpha, "a1"), swapping(beta, "b1")] as const

const prices: Readonly<Record<string, string>> = { ETH: "2500", USDC: "1", USDT: "1", GEM: "3.17" }
export const atMarket = (of: Currency): PricedCurrency => priced(of, prices[of.symbol] ?? "1")

/**
 * A source gives so many ten thousandths of the market: another share at each read. `stateGas`: of the chain, if it takes
 * any.
 */
export const pools = (rates: ReadonlyArray<bigint>, stateGas?: bigint) => {
  let reads = 0
  const read = () => rates[reads++ % rates.length] ?? 10_000n
  const give = (ask: SwapAsk, source: SwapQuote["source"], rate: bigint): SwapQuote => {
    const [from, to] = [atMarket(ask.from), atMarket(ask.to)]
    const amounts = ask.exact === "in"
      ? { amountIn: ask.amount, amountOut: convertFloor(ask.amount, from, to) * rate / 10_000n }
      : { amountIn: (convertCeil(ask.amount, to, from) * 10_000n + rate - 1n) / rate, amountOut: ask.amount }
    return { source, router: evmAddress("d2"), ask, ...amounts, gas: 100_000n, path: { tokens: [], fees: [] } }
  }
  return Layer.succeed(SwapSources, {
    offers: (ask, sources) =>
      Effect.sync(() => ({
        quotes: sources.map(({ id }) => give(ask, id, read())),
        gasPrice: 10n ** 9n,
        ...(stateGas === undefined ? {} : { stateGas })
      })),
    again: ({ source }, ask) => Effect.sync(() => give(ask, source, read())),
    encode: () => ({ to: evmAddress("d2"), data: Hex.make("0x"), value: 0n }),
    forUser: () => Effect.succeed({ to: evmAddress("d2"), data: Hex.make("0x"), value: 0n })
  })
}

export const find = ({ currencies, swaps }: Chain, symbol: string): Currency => {
  const found = [...currencies, ...swaps?.currencies ?? []].find((each) => each.symbol === symbol)
  if (found === undefined) throw new Error(`no ${symbol}`)
  return found
}
