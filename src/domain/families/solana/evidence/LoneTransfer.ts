/**
 * A transaction that only pays the vault (SOLANA-3): a System or SPL transfer, and at most compute budget instructions
 * besides. It names no order, so its deposit belongs to the payer.
 */
import type { Address } from "../../../chain/Address.ts"
import { asCurrency } from "../../AddressCodec.ts"
import { solanaAddresses } from "../SolanaAddresses.ts"
import { ZERO_32 } from "../../../encoding/Hex.ts"
import type { SaidDeposit } from "./DepositInstruction.ts"
import { isTokenProgram, programs, tokenAccountOf } from "./Programs.ts"
import type { SvmInstruction, SvmTransaction } from "./SvmTransaction.ts"

const u64At = (data: Uint8Array, at: number): bigint =>
  new DataView(data.buffer, data.byteOffset + at, 8).getBigUint64(0, true)

const systemTransfer = ({ accounts, data }: SvmInstruction, vault: Address): SaidDeposit | undefined => {
  const [from, to] = accounts
  const isTransfer = data.length === 12 && data[0] === 2 && data[1] === 0 && data[2] === 0 && data[3] === 0
  return !isTransfer || from === undefined || to !== vault
    ? undefined
    : { depositor: from, currency: solanaAddresses.nativeCurrency, amount: u64At(data, 4), id: ZERO_32, into: vault }
}

/** Target and amount of Transfer, TransferChecked, or TransferCheckedWithFee. */
const tokenMove = ({ accounts, data }: SvmInstruction) => {
  const [source] = accounts
  if (data[0] === 3 && data.length === 9) return { source, to: accounts[1], amount: u64At(data, 1) }
  if (data[0] === 12 && data.length === 10) return { source, to: accounts[2], amount: u64At(data, 1) }
  return data[0] === 26 && data[1] === 1 && data.length === 19
    ? { source, to: accounts[2], amount: u64At(data, 2) }
    : undefined
}

const tokenTransfer = (
  instruction: SvmInstruction,
  { tokensAfter, tokensBefore }: SvmTransaction,
  vault: Address
): SaidDeposit | undefined => {
  const move = tokenMove(instruction)
  const received = tokensAfter.find(({ account }) => account === move?.to)
  // The authority of a token transfer need not own the tokens. The depositor is their owner.
  const paid = tokensBefore.find(({ account }) => account === move?.source)
  if (move === undefined || received === undefined || paid === undefined) return undefined
  if (received.account !== tokenAccountOf(vault, received.mint, instruction.program)) return undefined
  return {
    depositor: paid.owner,
    currency: asCurrency(received.mint),
    amount: move.amount,
    id: ZERO_32,
    into: received.account
  }
}

/** The transfer and its index in the flattened list. Undefined for a transaction that does anything else. */
export const loneTransfer = (
  transaction: SvmTransaction,
  vault: Address
): { readonly index: number; readonly said: SaidDeposit } | undefined => {
  const acting = transaction.instructions.flatMap((instruction, index) =>
    instruction.isTopLevel && instruction.program !== programs.computeBudget ? [{ instruction, index }] : []
  )
  const [only] = acting
  if (only === undefined || acting.length > 1) return undefined
  const { instruction } = only
  const said = instruction.program === programs.system
    ? systemTransfer(instruction, vault)
    : isTokenProgram(instruction.program)
    ? tokenTransfer(instruction, transaction, vault)
    : undefined
  return said === undefined ? undefined : { index: only.index, said }
}
