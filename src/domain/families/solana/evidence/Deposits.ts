/**
 * What is a deposit on solana-vm (SOLANA-2). The service that fills and the oracle that attests share this code.
 *
 * The depository program's instructions say which deposits there are. Their worth is what the vault's account received
 * in the whole transaction: what it gained, plus what withdrawals took out of it, so that a stranger's withdrawal in
 * the same transaction cannot reduce a deposit. SECURITY: together they are never worth more than that. If several
 * deposits go to one account that received less than they say (a Token-2022 fee), each is worth its share, rounded
 * down: their order does not decide which one bears the shortfall. Pure and total.
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

/** What an account of the vault has gained; of tokens only while it is the vault's. */
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

/** The share of one that says `amount` among those that say `all`, of what was received. */
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

/** In the order of the instructions; what brought nothing is no deposit. */
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
