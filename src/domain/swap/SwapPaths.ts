/**
 * The paths that sources are asked for between two currencies: direct, and through one intermediate token.
 *
 * In pools, native currency is its wrapped token. There is no path between a currency and the token that wraps it.
 */
import type { Address } from "../chain/Address.ts"
import { asAddress } from "../families/AddressCodec.ts"
import type { Currency } from "../money/Currency.ts"
import type { SwapAsk, SwapPath } from "./SwapQuote.ts"
import type { ChainSwaps } from "./SwapSource.ts"

/**
 * The token's contract as an account. The addresses of configured currencies on EVM chains have already been parsed as
 * accounts.
 */
const tokenOf = ({ address, isNative }: Currency, { wrapped }: ChainSwaps): Address =>
  isNative ? wrapped : asAddress(address)

/** Paths of tokens only, for sources with one pool per token pair. */
export const swapPaths = ({ from, to }: Pick<SwapAsk, "from" | "to">, swaps: ChainSwaps): ReadonlyArray<SwapPath> => {
  const [first, last] = [tokenOf(from, swaps), tokenOf(to, swaps)]
  if (first === last) return []
  const between = [...new Set([swaps.wrapped, ...swaps.through])].filter((token) => token !== first && token !== last)
  return [[first, last], ...between.map((token) => [first, token, last])].map((tokens) => ({ tokens, fees: [] }))
}

/** The path with every combination of fees between its tokens, for sources whose pools differ by fee. */
export const withFees = (path: SwapPath, tiers: ReadonlyArray<number>): ReadonlyArray<SwapPath> =>
  path.tokens.slice(1).reduce<ReadonlyArray<ReadonlyArray<number>>>(
    (made, _) => made.flatMap((fees) => tiers.map((tier) => [...fees, tier])),
    [[]]
  ).map((fees) => ({ tokens: path.tokens, fees }))
