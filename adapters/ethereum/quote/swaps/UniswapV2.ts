/**
 * Uniswap v2 through its unmodified Router02: quotes from the pairs' reserves, swaps with the limit and the deadline in
 * the call.
 *
 * The router's own functions take and pay native currency. For an exact output the router returns the unused input. Not
 * for tokens that charge a fee on transfers.
 */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import { Hex } from "../../../../src/domain/encoding/Hex.ts"
import type { RouterCall } from "../../../../src/domain/order/RouterCall.ts"
import { swapPaths } from "../../../../src/domain/swap/SwapPaths.ts"
import type { SwapAsk, SwapPath, SwapQuote, SwapTerms } from "../../../../src/domain/swap/SwapQuote.ts"
import type { ChainSwaps, SwapSource } from "../../../../src/domain/swap/SwapSource.ts"
import { viemHex } from "../../rpc/ViemHex.ts"
import type { Question } from "./Question.ts"

const abi = parseAbi([
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)",
  "function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)",
  "function swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)",
  "function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
  "function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)"
])

/** Gas of a swap by its number of pools, native currency at its ends included. */
const gasOf = ({ tokens }: SwapPath): bigint => 60_000n + 90_000n * BigInt(tokens.length - 1)

export const question = (
  ask: SwapAsk,
  source: Extract<SwapSource, { readonly id: "uniswap-v2" }>,
  path: SwapPath
): Question => {
  const functionName = ask.exact === "in" ? "getAmountsOut" : "getAmountsIn"
  return {
    to: viemHex(source.router),
    data: encodeFunctionData({ abi, functionName, args: [ask.amount, path.tokens.map(viemHex)] }),
    quoteOf: (data) => {
      const amounts = decodeFunctionResult({ abi, functionName, data })
      return {
        source: source.id,
        router: source.router,
        ask,
        amountIn: amounts.at(0) ?? 0n,
        amountOut: amounts.at(-1) ?? 0n,
        gas: gasOf(path),
        path
      }
    }
  }
}

export const questions = (
  ask: SwapAsk,
  swaps: ChainSwaps,
  source: Extract<SwapSource, { readonly id: "uniswap-v2" }>
): ReadonlyArray<Question> => swapPaths(ask, swaps).map((path) => question(ask, source, path))

const dataOf = ({ amountIn, amountOut, ask, path }: SwapQuote, { deadline, limit, recipient }: SwapTerms) => {
  const tail = [path.tokens.map(viemHex), viemHex(recipient), BigInt(deadline)] as const
  if (ask.exact === "in") {
    if (ask.from.isNative) {
      return encodeFunctionData({ abi, functionName: "swapExactETHForTokens", args: [limit, ...tail] })
    }
    const functionName = ask.to.isNative ? "swapExactTokensForETH" : "swapExactTokensForTokens"
    return encodeFunctionData({ abi, functionName, args: [amountIn, limit, ...tail] })
  }
  if (ask.from.isNative) {
    return encodeFunctionData({ abi, functionName: "swapETHForExactTokens", args: [amountOut, ...tail] })
  }
  const functionName = ask.to.isNative ? "swapTokensForExactETH" : "swapTokensForExactTokens"
  return encodeFunctionData({ abi, functionName, args: [amountOut, limit, ...tail] })
}

export const encode = (quote: SwapQuote, terms: SwapTerms): RouterCall => ({
  to: quote.router,
  data: Hex.make(dataOf(quote, terms)),
  value: !quote.ask.from.isNative ? 0n : quote.ask.exact === "in" ? quote.amountIn : terms.limit
})
