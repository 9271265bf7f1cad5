/**
 * A call that the router makes after the payments of a fill (ORDER-5).
 *
 * On the wire: the ABI encoding of three one-field tuples, ((address to),(bytes data),(uint256 value)).
 */
import * as Result from "effect/Result"
import { abiAddress, abiBytes, abiTuple, abiUint, decodeAbi, encodeAbi, type InvalidAbi } from "../encoding/Abi.ts"
import type { Address } from "../chain/Address.ts"
import type { Hex } from "../encoding/Hex.ts"

/** One call of a fill: target, data, and value in smallest units of the native currency. */
export interface RouterCall {
  /** A canonical EVM account. */
  readonly to: Address
  readonly data: Hex
  /** Wei (sun on Tron). */
  readonly value: bigint
}

const shape = abiTuple({
  to: abiTuple({ to: abiAddress }),
  data: abiTuple({ data: abiBytes }),
  value: abiTuple({ value: abiUint(256) })
})

/** The bytes of a call in an order's `output.calls`. */
export const encodeRouterCall = (call: RouterCall): Result.Result<Hex, InvalidAbi> =>
  encodeAbi(shape, { to: { to: call.to }, data: { data: call.data }, value: { value: call.value } })

/** Decodes a call. Only the canonical encoding is accepted. */
export const decodeRouterCall = (encoded: Hex): Result.Result<RouterCall, InvalidAbi> =>
  Result.map(decodeAbi(shape, encoded), ({ data, to, value }) => ({ to: to.to, data: data.data, value: value.value }))
