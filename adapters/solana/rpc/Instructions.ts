/**
 * Converts instructions between the domain's form, kit's and the wire's. Also the instructions at the start of every
 * user's own transaction.
 */
import { AccountRole, address, createNoopSigner, isSignerRole, isWritableRole } from "@solana/kit"
import type { Instruction } from "@solana/kit"
import { getCreateAssociatedTokenIdempotentInstruction } from "@solana-program/token"
import { Result } from "effect"
import { solanaAddresses } from "../../../src/domain/families/solana/SolanaAddresses.ts"
import { hexFromBytes, hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { SolanaTransactionData } from "../../../src/domain/families/solana/SolanaTransactionData.ts"
import type { InstructionAccount, UserInstruction } from "../../../src/domain/swap/UserCall.ts"

const roleOf = ({ signs, writes }: InstructionAccount): AccountRole =>
  signs
    ? writes ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
    : writes
    ? AccountRole.WRITABLE
    : AccountRole.READONLY

export const kitInstruction = ({ accounts, data, program }: UserInstruction): Instruction => ({
  programAddress: address(program),
  accounts: accounts.map((account) => ({ address: address(account.address), role: roleOf(account) })),
  data: hexToBytes(data)
})

const parsed = (text: string) => Result.getOrThrow(solanaAddresses.parse(text))

export const domainInstruction = ({ accounts = [], data, programAddress }: Instruction): UserInstruction => ({
  program: parsed(programAddress),
  accounts: accounts.map((account) => ({
    address: parsed(account.address),
    signs: isSignerRole(account.role),
    writes: isWritableRole(account.role)
  })),
  data: hexFromBytes(Uint8Array.from(data ?? []))
})

export const wireInstruction = (
  { accounts = [], data, programAddress }: Instruction
): SolanaTransactionData["instructions"][number] => ({
  keys: accounts.map((account) => ({
    pubkey: account.address,
    isSigner: isSignerRole(account.role),
    isWritable: isWritableRole(account.role)
  })),
  programId: programAddress,
  data: Buffer.from(data ?? []).toString("hex")
})

/** A token account, the wallet that it belongs to, and its token. */
type Associated = Readonly<Record<"account" | "mint" | "owner" | "program", string>>

/** Opens an owner's account of a token, unless it is open. Fails when it was handed to another owner. */
export const openAssociated = (payer: string, { account, mint, owner, program }: Associated): UserInstruction =>
  domainInstruction(getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(address(payer)),
    ata: address(account),
    owner: address(owner),
    mint: address(mint),
    tokenProgram: address(program)
  }))

/**
 * The same, but it opens nothing: it fails unless the account is open and its owner's. Where it is open the instruction
 * takes no payment, and here the payment would be the owner's, who does not sign.
 */
export const withoutOpening = ({ accounts: [, account, owner, ...rest], ...opening }: UserInstruction) => {
  if (account === undefined || owner === undefined) throw new Error("no account is opened")
  const accounts = [{ ...owner, signs: false, writes: true }, account, owner, ...rest]
  return { ...opening, accounts } satisfies UserInstruction
}
