/** Converts our canonical text to viem's `Hex`, which starts with 0x. The text was checked where it was decoded. */
import type { Hex } from "viem"

export const viemHex = (text: string): Hex => `0x${text.slice(2)}`
