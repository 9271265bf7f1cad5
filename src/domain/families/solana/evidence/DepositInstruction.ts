/**
 * A deposit as declared by an instruction of the depository program (SOLANA-1). What the vault received is determined
 * elsewhere.
 */
import type { Address, CurrencyAddress } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { solanaAddresses } from "../SolanaAddresses.ts"
import { type Hex32, hex32FromDigest } from "../../../encoding/Hex.ts"
import { DISCRIMINATOR_BYTES, startsAs } from "./Discriminator.ts"
import { isTokenProgram, tokenAccountOf } from "./Programs.ts"
import type { SvmInstruction } from "./SvmTransaction.ts"

/** What an instruction of the depository says (SOLANA-1). The vault may have received less. */
export interface SaidDeposit {
  readonly depositor: Address
  readonly currency: CurrencyAddress
  readonly amount: bigint
  readonly id: Hex32
  /** The vault's account that it is paid into. For SOL this is the vault itself. */
  readonly into: Address
}

/** The program accepts more bytes and accounts than it reads. */
const ARGUMENT_BYTES = 8 + 32

const argumentsOf = (data: Uint8Array) => {
  const given = data.subarray(DISCRIMINATOR_BYTES)
  if (given.length < ARGUMENT_BYTES) return undefined
  const amount = new DataView(given.buffer, given.byteOffset, 8).getBigUint64(0, true)
  return { amount, id: hex32FromDigest(given.slice(8, ARGUMENT_BYTES)) }
}

const native = ({ accounts, data }: SvmInstruction, vault: Address): SaidDeposit | undefined => {
  const [, , depositor, into, system] = accounts
  const said = argumentsOf(data)
  if (depositor === undefined || system === undefined || said === undefined || into !== vault) return undefined
  return { depositor, currency: solanaAddresses.nativeCurrency, into, ...said }
}

const token = ({ accounts, data }: SvmInstruction, vault: Address): SaidDeposit | undefined => {
  const [, , depositor, owner, mint, , into, tokenProgram, associated, system] = accounts
  const said = argumentsOf(data)
  if (
    depositor === undefined || mint === undefined || tokenProgram === undefined || associated === undefined ||
    system === undefined
  ) return undefined
  if (said === undefined || owner !== vault || !isTokenProgram(tokenProgram)) return undefined
  // The program could never pay out from any other account of the vault.
  if (into === undefined || into !== tokenAccountOf(vault, mint, tokenProgram)) return undefined
  return { depositor, currency: asCurrency(mint), into, ...said }
}

/** Undefined for every other instruction. */
export const saidDeposit = (
  instruction: SvmInstruction,
  { program, vault }: { readonly program: Address; readonly vault: Address }
): SaidDeposit | undefined => {
  if (instruction.program !== program) return undefined
  if (startsAs("depositNative", instruction.data)) return native(instruction, vault)
  return startsAs("depositToken", instruction.data) ? token(instruction, vault) : undefined
}
