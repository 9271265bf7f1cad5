/** viem's view of our canonical text: what starts with 0x is its `Hex`. The text was checked where it was decoded. */
import type { Hex } from "viem"

export const viemHex = (text: string): Hex => `0x${text.slice(2)}`
