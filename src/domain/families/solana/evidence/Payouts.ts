/**
 * What a depository paid out in a transaction of solana-vm, by the vault's account that it left. Added to an account's
 * gain, it gives what the account received. Anybody may put a withdrawal into a transaction that deposits.
 *
 * SECURITY: a successful execution has moved exactly its amount. One that does not fit, or pays the vault itself, does
 * not count.
 */
import type { Address } from "../../../chain/Address.ts"
import type { SvmDepository } from "./SvmDepository.ts"
import { executedRequest } from "./ExecutedWithdrawals.ts"
import type { SvmInstruction, SvmTransaction } from "./SvmTransaction.ts"

/** Positions among the accounts of execute_transfer. */
const VAULT = 3
const VAULT_TOKENS = 6

const paidBy = (
  instruction: SvmInstruction,
  { program, vault }: SvmDepository
): { readonly from: Address; readonly amount: bigint } | undefined => {
  const request = executedRequest(instruction, program)
  if (
    request === undefined || request.vault !== vault || instruction.accounts[VAULT] !== vault ||
    request.recipient === vault
  ) return undefined
  const from = request.token === undefined ? vault : instruction.accounts[VAULT_TOKENS]
  return from === undefined || (request.token !== undefined && from === vault)
    ? undefined
    : { from, amount: request.amount }
}

/** Smallest units by account. Accounts that paid nothing have no entry. */
export const payoutsOf = (
  { instructions }: SvmTransaction,
  depository: SvmDepository
): ReadonlyMap<Address, bigint> => {
  const paid = new Map<Address, bigint>()
  for (const instruction of instructions) {
    const payout = paidBy(instruction, depository)
    if (payout !== undefined) paid.set(payout.from, (paid.get(payout.from) ?? 0n) + payout.amount)
  }
  return paid
}
