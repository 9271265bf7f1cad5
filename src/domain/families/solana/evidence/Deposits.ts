/**
 * Which deposits a transaction of solana-vm makes (SOLANA-2). The service that fills and the oracle that attests share
 * this code.
 *
 * Instructions of the depository program declare the deposits. They are worth what the vault's account received in the
 * whole transaction: its gain, plus what withdrawals took out, so a stranger's withdrawal in the same transaction
 * cannot reduce a deposit. SECURITY: together they are never worth more than that. If several deposits go to one
 * account that received less than they declare (a Token-2022 fee), each is worth its share, rounded down, whatever
 * their order. Pure and total.
 */
import type { Address } from "../../../chain/Address.ts"
import type { DepositEvidence } from "../../../evidence/TransactionEvidence.ts"
import { type SaidDeposit, saidDeposit } from "./DepositInstruction.ts"
import { loneTransfer } from "./LoneTransfer.ts"
import { payoutsOf } from "./Payouts.ts"
import type { SvmDepository } from "./SvmDepository.ts"
import type { SvmTransaction } from "./SvmTransaction.ts"

interface Placed {
  readonly index: number
  readonly said: SaidDeposit
}

/** The gain of the vault's account. Tokens count only while the vault owns the account. */
const gained = (
  { lamports, tokensAfter, tokensBefore }: SvmTransaction,
  vault: Address,
  { currency, into }: SaidDeposit
): bigint => {
  if (into === vault) {
    return lamports.reduce((sum, { account, after, before }) => account === vault ? sum + after - before : sum, 0n)
  }
  const held = (all: SvmTransaction["tokensAfter"]) =>
    all.reduce(
      (sum, { account, amount, mint, owner }) =>
        account === into && owner === vault && mint === currency ? sum + amount : sum,
      0n
    )
  return held(tokensAfter) - held(tokensBefore)
}

/** The part of `received` for a deposit that declares `amount`, when all deposits together declare `all`. */
const share = (amount: bigint, all: bigint, received: bigint): bigint =>
  received >= all ? amount : (amount * received) / all

const placedIn = (transaction: SvmTransaction, depository: SvmDepository): ReadonlyArray<Placed> => {
  const said = transaction.instructions.flatMap((instruction, index): ReadonlyArray<Placed> => {
    const deposit = saidDeposit(instruction, depository)
    return deposit === undefined ? [] : [{ index, said: deposit }]
  })
  if (said.length > 0) return said
  const lone = loneTransfer(transaction, depository.vault)
  return lone === undefined ? [] : [lone]
}

/** In the order of the instructions. A deposit that is worth nothing is left out. */
export const depositsOf = (transaction: SvmTransaction, depository: SvmDepository): ReadonlyArray<DepositEvidence> => {
  const placed = placedIn(transaction, depository)
  const said = new Map<Address, bigint>()
  const paidOut = placed.length === 0 ? new Map<Address, bigint>() : payoutsOf(transaction, depository)
  for (const { said: { amount, into } } of placed) said.set(into, (said.get(into) ?? 0n) + amount)
  return placed.flatMap(({ index, said: deposit }): ReadonlyArray<DepositEvidence> => {
    const received = gained(transaction, depository.vault, deposit) + (paidOut.get(deposit.into) ?? 0n)
    const amount = received <= 0n ? 0n : share(deposit.amount, said.get(deposit.into) ?? 0n, received)
    const { currency, depositor, id } = deposit
    return amount === 0n ? [] : [{ depository: depository.program, index, depositId: id, depositor, currency, amount }]
  })
}
