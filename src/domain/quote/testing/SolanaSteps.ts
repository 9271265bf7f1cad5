/** Deposits of Solana origins as a service would ask for them, encoded by kit and its program clients: another encoder than the one under test. */
import { AccountRole, address, createNoopSigner, getProgramDerivedAddress, isSignerRole, isWritableRole } from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, findAssociatedTokenPda, getCreateAssociatedTokenIdempotentInstruction, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { createHash } from "node:crypto"
import type { ResolvedRequest } from "../ResolveRequest.ts"
import type { SolanaTransactionData } from "../wire/TransactionData.ts"
import { solana, solanaUsdc, solanaUser } from "./Chains.ts"

const SYSTEM = address("11111111111111111111111111111111")
const program = address(solana.depository)
const mint = address(solanaUsdc.address)

const derived = async (seed: string): Promise<Address> => (await getProgramDerivedAddress({ programAddress: program, seeds: [seed] }))[0]
const tokensOf = async (owner: Address): Promise<Address> => (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

const depository = await derived("relay_depository")
const vault = await derived("vault")
const vaultTokens = await tokensOf(vault)
/** Of the one user that the tests have on Solana. */
const userTokens = await tokensOf(address(solanaUser))

const readonly = (key: Address) => ({ address: key, role: AccountRole.READONLY })
const writable = (key: Address) => ({ address: key, role: AccountRole.WRITABLE })

const wire = ({ accounts = [], data, programAddress }: Instruction): SolanaTransactionData["instructions"][number] => ({
  keys: accounts.map(({ address: pubkey, role }) => ({ pubkey, isSigner: isSignerRole(role), isWritable: isWritableRole(role) })),
  programId: programAddress,
  data: Buffer.from(data ?? []).toString("hex")
})

const depositData = (name: string, amount: bigint, id: `0x${string}`) =>
  new Uint8Array(Buffer.concat([
    createHash("sha256").update(`global:${name}`).digest().subarray(0, 8), new Uint8Array(BigUint64Array.of(amount).buffer), Buffer.from(id.slice(2), "hex")
  ]))

/** `opens`: somebody who pays the user's fees opens the vault's account before. */
export const solanaTransaction = ({ computeUnitLimit, depositFeePayer, originCurrency, user: text }: ResolvedRequest, id: `0x${string}`, amount: bigint, opens: boolean): SolanaTransactionData => {
  const user = address(text)
  const first = [readonly(depository), { address: user, role: AccountRole.WRITABLE_SIGNER }, readonly(user)]
  const deposit: Instruction = originCurrency.isNative
    ? { programAddress: program, accounts: [...first, writable(vault), readonly(SYSTEM)], data: depositData("deposit_native", amount, id) }
    : {
      programAddress: program,
      accounts: [
        ...first, readonly(vault), readonly(mint), writable(userTokens), writable(vaultTokens), readonly(TOKEN_PROGRAM_ADDRESS), readonly(ASSOCIATED_TOKEN_PROGRAM_ADDRESS), readonly(SYSTEM)
      ],
      data: depositData("deposit_token", amount, id)
    }
  const payer = depositFeePayer === undefined || !opens || originCurrency.isNative ? [] : [createNoopSigner(address(depositFeePayer))]
  const instructions: ReadonlyArray<Instruction> = [
    ...(computeUnitLimit ? [getSetComputeUnitLimitInstruction({ units: 200_000 })] : []),
    ...payer.map((signer) => getCreateAssociatedTokenIdempotentInstruction({ payer: signer, ata: vaultTokens, owner: vault, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS })),
    deposit
  ]
  return { instructions: instructions.map(wire), addressLookupTableAddresses: [], feePayer: depositFeePayer ?? user }
}
