/**
 * A swap in the fill: the solver pays a currency that it holds, and the order's own calls swap it into the recipient's.
 *
 * The calls are an exact allowance for the source's router and the swap itself, whose minimum output and recipient the
 * router enforces. They run from the Router's throw-away executor, so nothing of the solver's is ever allowed to
 * anybody.
 */
import * as Result from "effect/Result"
import { abiAddress, abiTuple, abiUint, encodeAbi } from "../encoding/Abi.ts"
import type { Address } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import { Hex } from "../encoding/Hex.ts"
import { findCurrency } from "../chain/Chain.ts"
import { asAddress, asCurrency } from "../families/AddressCodec.ts"
import type { Currency } from "../money/Currency.ts"
import type { RouterCall } from "../order/RouterCall.ts"
import { pairClass } from "../quote/pricing/AssetClass.ts"
import type { SwapQuote } from "./SwapQuote.ts"

/**
 * The currency that the solver pays and the fill swaps: the origin's own asset where the solver holds it, else the
 * first token that paths go through.
 */
export const bridgedCurrency = (from: Currency, destination: Chain): Currency | undefined => {
  const { swaps } = destination
  if (swaps === undefined) return undefined
  const hubs = [...swaps.through, swaps.wrapped].map((token) => findCurrency(destination, asCurrency(token)))
  return destination.currencies.find((held) => pairClass(from, held) === "same") ??
    hubs.find((held) => held !== undefined)
}

/**
 * Makes the swap's output available to the calls that follow: the swap pays the handover, and this call moves the
 * output to the account that the calls run from.
 */
export const takeCall = (handover: Address, { address }: Currency, minimum: bigint): RouterCall => {
  const body = Result.getOrThrow(encodeAbi(taking, { token: asAddress(address), minimum }))
  return { to: handover, data: Hex.make(`0x${TAKE}${body.slice(2)}`), value: 0n }
}

const spending = abiTuple({ spender: abiAddress, amount: abiUint(256) })

const taking = abiTuple({ token: abiAddress, minimum: abiUint(256) })

/** `take(address,uint256)`. */
const TAKE = "52180208"

/** `approve(address,uint256)`. */
const APPROVE = "095ea7b3"

/**
 * The calls of a fill that pays `quote.amountIn`: the allowance is exactly the swapped amount; native currency is sent
 * with the call.
 */
export const swapCalls = (
  { amountIn, ask: { from }, router }: SwapQuote,
  swap: RouterCall
): ReadonlyArray<RouterCall> => {
  if (from.isNative) return [swap]
  // Address and amount come from a chain's answer, so they always encode.
  const body = Result.getOrThrow(encodeAbi(spending, { spender: router, amount: amountIn }))
  return [{ to: asAddress(from.address), data: Hex.make(`0x${APPROVE}${body.slice(2)}`), value: 0n }, swap]
}
