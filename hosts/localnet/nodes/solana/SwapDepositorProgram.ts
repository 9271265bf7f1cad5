/**
 * The program that swaps before a deposit, on the local chain: its address and its instruction. The layout is that of
 * adapters/solana/program/src/swap_depositor.c.
 */
import { readFileSync } from "node:fs"
import type { Address } from "@solana/kit"
import { namedAddress } from "./node/Chain.ts"

/** Nobody has its key. It has no state, so nothing has to be initialised. */
export const program: Address = namedAddress("causeway.localnet.solana.swap-depositor")

export const programBytes = (): Uint8Array =>
  new Uint8Array(readFileSync(new URL("../../../../adapters/solana/program/swap-depositor.so", import.meta.url)))
