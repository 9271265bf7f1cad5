/**
 * Wraps native currency into its token, or unwraps it, one for one: a single call of that token, which pays its caller.
 *
 * The token (WETH9 and its copies) ignores data after its arguments, so the order's id can be appended. Not for
 * recipients other than the user: the token always pays the caller.
 */
import * as Result from "effect/Result"
import { abiTuple, abiUint, encodeAbi } from "../encoding/Abi.ts"
import type { Chain } from "../chain/Chain.ts"
import { Hex } from "../encoding/Hex.ts"
import type { Currency } from "../money/Currency.ts"
import type { RouterCall } from "../order/RouterCall.ts"

/** `deposit()` and `withdraw(uint256)`. */
const DEPOSIT = "d0e30db0"
const WITHDRAW = "2e1a7d4d"

/** Gas of either call, with room for opening a new account. */
export const WRAP_GAS = 60_000n

const withdrawing = abiTuple({ amount: abiUint(256) })

/** True for native currency and its wrapped token on one chain, either way. */
export const isWrapPair = ({ swaps }: Chain, from: Currency, to: Currency): boolean => {
  if (swaps === undefined || from.isNative === to.isNative) return false
  return String((from.isNative ? to : from).address) === String(swaps.wrapped)
}

/** The wrapping or unwrapping call, without the order's id. Undefined on a chain without a wrapped token. */
export const wrapCall = ({ swaps }: Chain, from: Currency, amount: bigint): RouterCall | undefined => {
  if (swaps === undefined) return undefined
  if (from.isNative) return { to: swaps.wrapped, data: Hex.make(`0x${DEPOSIT}`), value: amount }
  // An amount that was decoded from a request always encodes.
  return {
    to: swaps.wrapped,
    data: Hex.make(`0x${WITHDRAW}${Result.getOrThrow(encodeAbi(withdrawing, { amount })).slice(2)}`),
    value: 0n
  }
}

const named = new RegExp(`^0x(?:${DEPOSIT}|${WITHDRAW}[0-9a-f]{64})[0-9a-f]{64}$`)

/** True for such a call with an order's id at its end. */
export const isNamedWrap = ({ swaps }: Chain, to: string | undefined, input: Hex): boolean =>
  swaps !== undefined && to === swaps.wrapped && named.test(input)
