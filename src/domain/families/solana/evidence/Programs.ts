/** The Solana programs whose instructions are decoded here, and the accounts derived from them. */
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { programAddress } from "../ProgramAddress.ts"
import { solanaAddresses } from "../SolanaAddresses.ts"
import { type Hex32, hexToBytes } from "../../../encoding/Hex.ts"

/** Their addresses, which are the same on every cluster. */
export const programs = {
  system: "11111111111111111111111111111111",
  token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  associatedToken: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  memo: "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  computeBudget: "ComputeBudget111111111111111111111111111111"
} as const

/** The two token programs share the instructions that are decoded here. */
export const isTokenProgram = (program: string): boolean => program === programs.token || program === programs.token2022

const bytesOf = (address: string): ReadonlyArray<Uint8Array> => {
  const bytes = solanaAddresses.toBytes(address)
  return Result.isSuccess(bytes) ? [bytes.success] : []
}

/**
 * An owner's associated token account for a mint, which everybody can compute. Undefined when an argument is not an
 * address.
 */
export const tokenAccountOf = (owner: string, mint: string, tokenProgram: string): Address | undefined => {
  const seeds = [owner, tokenProgram, mint].flatMap(bytesOf)
  return seeds.length === 3 ? programAddress(programs.associatedToken, seeds) : undefined
}

/** The account that holds a depository program's deposits: SOL directly, tokens in its token accounts. */
export const vaultOf = (program: string): Address | undefined => programAddress(program, [utf8ToBytes("vault")])

/** The account that exists once a withdrawal was executed. */
export const usedRequestOf = (program: string, withdrawalId: Hex32): Address | undefined =>
  programAddress(program, [utf8ToBytes("used_request"), hexToBytes(withdrawalId)])

/** The depository program's own account, which every deposit names. */
export const depositoryOf = (program: string): Address | undefined =>
  programAddress(program, [utf8ToBytes("relay_depository")])

/**
 * A reference account that a user's own transaction names beside its order, so that it is found in an index of
 * addresses. The account never exists. All users of a depository share it, and it is only read.
 */
export const referenceOf = (program: string): Address | undefined =>
  programAddress(program, [utf8ToBytes("user_transfers")])
