/**
 * The paths that are asked for between two currencies: straight, and through one token between them.
 *
 * Native currency is its wrapped token in every pool. No path at all between a currency and what wraps it.
 */
import type { Address } from "../chain/Address.ts"
import { asAddress } from "../families/AddressCodec.ts"
import type { Currency } from "../money/Currency.ts"
import type { SwapAsk, SwapPath } from "./SwapQuote.ts"
import type { ChainSwaps } from "./SwapSource.ts"

/** A token's contract is the account of that address; configured currencies of EVM chains have been parsed as such. */
const tokenOf = ({ address, isNative }: Currency, { wrapped }: ChainSwaps): Address =>
  isNative ? wrapped : asAddress(address)

/** Tokens alone, for sources with one pool for two tokens. */
export const swapPaths = ({ from, to }: Pick<SwapAsk, "from" | "to">, swaps: ChainSwaps): ReadonlyArray<SwapPath> => {
  const [first, last] = [tokenOf(from, swaps), tokenOf(to, swaps)]
  if (first === last) return []
  const between = [...new Set([swaps.wrapped, ...swaps.through])].filter((token) => token !== first && token !== last)
  return [[first, last], ...between.map((token) => [first, token, last])].map((tokens) => ({ tokens, fees: [] }))
}

/** Each with every fee between every two of its tokens, for sources whose pools differ by fee. */
export const withFees = (path: SwapPath, tiers: ReadonlyArray<number>): ReadonlyArray<SwapPath> =>
  path.tokens.slice(1).reduce<ReadonlyArray<ReadonlyArray<number>>>(
    (made, _) => made.flatMap((fees) => tiers.map((tier) => [...fees, tier])),
    [[]]
  ).map((fees) => ({ tokens: path.tokens, fees }))
