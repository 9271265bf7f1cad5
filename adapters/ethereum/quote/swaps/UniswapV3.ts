/**
 * Uniswap v3 through the unmodified QuoterV2 and SwapRouter: the quoter runs the swap and undoes it, so it sees every
 * tick.
 *
 * Native currency: the router wraps what is sent along. Native output stays in the router as the wrapped token and is
 * unwrapped in the same call. The same call returns the unused input of an exact output.
 */
import { concat, decodeFunctionResult, encodeFunctionData, numberToHex, parseAbi, zeroAddress } from "viem"
import { Hex } from "../../../../src/domain/encoding/Hex.ts"
import type { RouterCall } from "../../../../src/domain/order/RouterCall.ts"
import { swapPaths, withFees } from "../../../../src/domain/swap/SwapPaths.ts"
import type { SwapAsk, SwapPath, SwapQuote, SwapTerms } from "../../../../src/domain/swap/SwapQuote.ts"
import type { ChainSwaps, SwapSource } from "../../../../src/domain/swap/SwapSource.ts"
import { viemHex } from "../../rpc/ViemHex.ts"
import type { Question } from "./Question.ts"

type Source = Extract<SwapSource, { readonly id: "uniswap-v3" }>

const quoterAbi = parseAbi([
  "function quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)",
  "function quoteExactOutput(bytes path, uint256 amountOut) returns (uint256 amountIn, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)"
])

const abi = parseAbi([
  "struct Input { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }",
  "struct Output { bytes path; address recipient; uint256 deadline; uint256 amountOut; uint256 amountInMaximum; }",
  "function exactInput(Input params) payable returns (uint256 amountOut)",
  "function exactOutput(Output params) payable returns (uint256 amountIn)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
  "function refundETH() payable",
  "function multicall(bytes[] data) payable returns (bytes[] results)"
])

/** The router's gas around its pools: transfers, and wrapping at the ends. */
const ROUTER_GAS = 120_000n

/** token, fee, token, …; in reverse for an exact output. */
const packed = ({ fees, tokens }: SwapPath, { exact }: SwapAsk) => {
  const [hops, between] = exact === "in" ? [tokens, fees] : [tokens.toReversed(), fees.toReversed()]
  return concat(hops.flatMap((token, index) => {
    const fee = between[index]
    return fee === undefined ? [viemHex(token)] : [viemHex(token), numberToHex(fee, { size: 3 })]
  }))
}

export const question = (ask: SwapAsk, source: Source, path: SwapPath): Question => {
  const functionName = ask.exact === "in" ? "quoteExactInput" : "quoteExactOutput"
  return {
    to: viemHex(source.quoter),
    data: encodeFunctionData({ abi: quoterAbi, functionName, args: [packed(path, ask), ask.amount] }),
    quoteOf: (data) => {
      const [other, , , gas] = decodeFunctionResult({ abi: quoterAbi, functionName, data })
      return {
        source: source.id,
        router: source.router,
        ask,
        amountIn: ask.exact === "in" ? ask.amount : other,
        amountOut: ask.exact === "in" ? other : ask.amount,
        gas: gas + ROUTER_GAS,
        path
      }
    }
  }
}

export const questions = (ask: SwapAsk, swaps: ChainSwaps, source: Source): ReadonlyArray<Question> =>
  swapPaths(ask, swaps).flatMap((path) => withFees(path, source.feeTiers)).map((path) => question(ask, source, path))

/** With recipient zero the router keeps the output, and unwraps it then. */
const swapData = ({ amountIn, amountOut, ask, path }: SwapQuote, { deadline, limit, recipient }: SwapTerms) => {
  const common = {
    path: packed(path, ask),
    recipient: ask.to.isNative ? zeroAddress : viemHex(recipient),
    deadline: BigInt(deadline)
  }
  return ask.exact === "in"
    ? encodeFunctionData({ abi, functionName: "exactInput", args: [{ ...common, amountIn, amountOutMinimum: limit }] })
    : encodeFunctionData({ abi, functionName: "exactOutput", args: [{ ...common, amountOut, amountInMaximum: limit }] })
}

export const encode = (quote: SwapQuote, terms: SwapTerms): RouterCall => {
  const { amountIn, amountOut, ask, router } = quote
  const least = ask.exact === "in" ? terms.limit : amountOut
  const data = [
    swapData(quote, terms),
    ...(ask.to.isNative
      ? [encodeFunctionData({ abi, functionName: "unwrapWETH9", args: [least, viemHex(terms.recipient)] })]
      : []),
    ...(ask.from.isNative && ask.exact === "out" ? [encodeFunctionData({ abi, functionName: "refundETH" })] : [])
  ]
  return {
    to: router,
    data: Hex.make(encodeFunctionData({ abi, functionName: "multicall", args: [data] })),
    value: !ask.from.isNative ? 0n : ask.exact === "in" ? amountIn : terms.limit
  }
}
