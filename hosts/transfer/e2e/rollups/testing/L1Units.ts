/**
 * A stand-in for Arbitrum's gas, at the wire: estimates contain units for a transaction's data on L1. The chain behind it
 * takes none of them, so receipts are lower than estimates.
 */
import { hexToBigInt, isHex, size, toHex } from "viem"
import type { Lie, LyingNode } from "../../../testing/LyingNode.ts"

/** What a transaction has besides its data: signature, fees, addresses. */
const ENVELOPE = 110

const bytesOf = (params: ReadonlyArray<unknown> = []): number => {
  const [call] = params
  if (typeof call !== "object" || call === null) return ENVELOPE
  const data: unknown = "data" in call ? call.data : "input" in call ? call.input : "0x"
  return ENVELOPE + (isHex(data) ? size(data) : 0)
}

/** From now on each byte takes this many units. */
export const takeUnits = (node: LyingNode, eachByte: bigint): void => {
  const lie: Lie = async (call, truth) => {
    const answer = await truth()
    return call.method === "eth_estimateGas" && isHex(answer.result)
      ? { result: toHex(hexToBigInt(answer.result) + BigInt(bytesOf(call.params)) * eachByte) }
      : answer
  }
  node.lie(lie)
}
