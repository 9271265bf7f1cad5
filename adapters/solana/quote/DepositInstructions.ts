/** The user's deposit as instructions of the depository program (SOLANA-1): accounts, their order, and data. */
import { AccountRole, address, createNoopSigner } from "@solana/kit"
import type { Address, Instruction, TransactionSigner } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS, getCreateAssociatedTokenIdempotentInstruction } from "@solana-program/token"
import type { DepositIntent } from "../../../ports/chain/StepBuilder.ts"
import { DEPOSIT_COMPUTE_UNITS } from "../../../src/domain/families/solana/SolanaCosts.ts"
import { hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { discriminatorOf } from "../../../src/domain/families/solana/evidence/Discriminator.ts"
import { depositoryOf, vaultOf } from "../../../src/domain/families/solana/evidence/Programs.ts"
import type { Mint } from "../rpc/Tokens.ts"

/** The depository's accounts. Its program was checked with the configuration. */
export const accountsOf = (program: string) => {
  const [own, vault] = [depositoryOf(program), vaultOf(program)]
  if (own === undefined || vault === undefined) throw new Error("a configured depository is no program")
  return { own: address(own), vault: address(vault) }
}

/** The token part of a deposit. */
export interface DepositedToken {
  readonly mint: Mint
  readonly from: Address
  readonly into: Address
  /** Whether the vault's account for it exists. The first deposit opens it. */
  readonly isOpen: boolean
}

const argumentsOf = (name: "depositNative" | "depositToken", amount: bigint, id: Hex32): Uint8Array => {
  const data = new Uint8Array(8 + 8 + 32)
  data.set(discriminatorOf(name))
  new DataView(data.buffer).setBigUint64(8, amount, true)
  data.set(hexToBytes(id), 16)
  return data
}

const readonly = (of: Address) => ({ address: of, role: AccountRole.READONLY })
const writable = (of: Address) => ({ address: of, role: AccountRole.WRITABLE })

/** A deposit: its sender, its depositor, and its order. */
export interface Depositing {
  readonly depository: string
  readonly sender: Address
  readonly depositor: Address
  /** Smallest units. */
  readonly amount: bigint
  readonly token: DepositedToken | undefined
  readonly id: Hex32
}

export const depositInstruction = ({ amount, depositor, depository, id, sender, token }: Depositing): Instruction => {
  const { own, vault } = accountsOf(depository)
  const first = [readonly(own), { address: sender, role: AccountRole.WRITABLE_SIGNER }, readonly(depositor)]
  const programAddress = address(depository)
  if (token === undefined) {
    return {
      programAddress,
      accounts: [...first, writable(vault), readonly(SYSTEM_PROGRAM_ADDRESS)],
      data: argumentsOf("depositNative", amount, id)
    }
  }
  const { from, into, mint } = token
  return {
    programAddress,
    accounts: [
      ...first,
      readonly(vault),
      readonly(mint.address),
      writable(from),
      writable(into),
      readonly(mint.program),
      readonly(ASSOCIATED_TOKEN_PROGRAM_ADDRESS),
      readonly(SYSTEM_PROGRAM_ADDRESS)
    ],
    data: argumentsOf("depositToken", amount, id)
  }
}

/** The program makes the sender open the vault's account. A payer of another account's fees opens it before. */
export const openingVault = (
  payer: TransactionSigner,
  depository: string,
  token: DepositedToken | undefined
): ReadonlyArray<Instruction> =>
  token === undefined || token.isOpen ? [] : [getCreateAssociatedTokenIdempotentInstruction({
    payer,
    ata: token.into,
    owner: accountsOf(depository).vault,
    mint: token.mint.address,
    tokenProgram: token.mint.program
  })]

export const depositInstructions = (
  intent: DepositIntent,
  token: DepositedToken | undefined,
  id: Hex32
): ReadonlyArray<Instruction> => [
  ...(intent.computeUnitLimit === true ? [getSetComputeUnitLimitInstruction({ units: DEPOSIT_COMPUTE_UNITS })] : []),
  ...(intent.feePayer === undefined
    ? []
    : openingVault(createNoopSigner(address(intent.feePayer)), intent.origin.depository, token)),
  depositInstruction({
    depository: intent.origin.depository,
    sender: address(intent.user),
    depositor: address(intent.user),
    amount: intent.amount,
    token,
    id
  })
]
