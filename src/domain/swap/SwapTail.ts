/**
 * The limits that a route's instruction has the program enforce: its last 19 bytes, whatever plan precedes them. Only
 * for the four instructions of the interface that have this layout. A user must not be asked to sign any other.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { ExactSide } from "./SwapQuote.ts"
import { hexDigits } from "../encoding/HexDigits.ts"

const named = (name: string): string => hexDigits(sha256(utf8ToBytes(`global:${name}`)).subarray(0, 8))

const sides: ReadonlyMap<string, ExactSide> = new Map([
  [named("route"), "in"],
  [named("shared_accounts_route"), "in"],
  [named("exact_out_route"), "out"],
  [named("shared_accounts_exact_out_route"), "out"]
])

const TAIL = 19
const WHOLE = 10_000n

/** The limits that a swap's call must enforce itself. */
export interface SwapLimits {
  readonly exact: ExactSide
  /** The most that goes in, and the least that comes out, smallest units. */
  readonly most: bigint
  readonly least: bigint
}

/** Undefined for another instruction, or for one that takes a fee for the route's maker. */
export const limitsOf = (data: Uint8Array): SwapLimits | undefined => {
  const exact = sides.get(hexDigits(data.subarray(0, 8)))
  if (exact === undefined || data.length < 8 + TAIL) return undefined
  const view = new DataView(data.buffer, data.byteOffset + data.length - TAIL, TAIL)
  const [given, quoted, slippage, fee] = [
    view.getBigUint64(0, true),
    view.getBigUint64(8, true),
    BigInt(view.getUint16(16, true)),
    view.getUint8(18)
  ]
  if (fee !== 0 || slippage > WHOLE) return undefined
  return exact === "in"
    ? { exact, most: given, least: (quoted * (WHOLE - slippage) + WHOLE - 1n) / WHOLE }
    : { exact, most: (quoted * (WHOLE + slippage) + WHOLE - 1n) / WHOLE, least: given }
}
