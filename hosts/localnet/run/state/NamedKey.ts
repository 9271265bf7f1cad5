/** A key that is the sha256 of a name in the source: for test money only, and equal on every machine. */
import { createHash } from "node:crypto"
import type { Hex } from "viem"

export const keyNamed = (name: string): Hex => `0x${createHash("sha256").update(name).digest("hex")}`
