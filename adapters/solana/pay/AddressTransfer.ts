/**
 * A deposit by deposit address as the user's own transaction: a plain transfer that does not name the order. It sends
 * lamports, or tokens to the address's token account, which it opens. Any other transfer to the address works too.
 */
import { address, createNoopSigner } from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { getTransferSolInstruction } from "@solana-program/system"
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from "@solana-program/token"
import { DepositUnfit } from "../../../ports/chain/StepBuilder.ts"
import type { DepositIntent } from "../../../ports/chain/StepBuilder.ts"
import { tokenAccountOf as associatedAccount } from "../../../src/domain/families/solana/evidence/Programs.ts"
import { computeUnits, LAMPORTS_A_SIGNATURE } from "./Fees.ts"
import { leastBalance, rentOf } from "../rpc/Rent.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import type { Mint } from "../rpc/Tokens.ts"

export interface PreparedTransfer {
  /** Smallest units of the deposited currency. */
  readonly userBalance: bigint
  /** The most that it costs the user's own wallet, lamports. */
  readonly gas: bigint
  readonly to: (deposit: Address) => ReadonlyArray<Instruction>
}

const moving = (
  { amount, currency, feePayer, user }: DepositIntent,
  token: { readonly mint: Mint; readonly from: Address } | undefined,
  deposit: Address
): ReadonlyArray<Instruction> => {
  const owner = createNoopSigner(address(user))
  if (token === undefined) return [getTransferSolInstruction({ source: owner, destination: deposit, amount })]
  const { from, mint } = token
  const into = address(associatedAccount(deposit, mint.address, mint.program) ?? deposit)
  const payer = feePayer === undefined ? owner : createNoopSigner(address(feePayer))
  return [
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata: into,
      owner: deposit,
      mint: mint.address,
      tokenProgram: mint.program
    }),
    getTransferCheckedInstruction({
      source: from,
      mint: mint.address,
      destination: into,
      authority: owner,
      amount,
      decimals: currency.decimals
    }, { programAddress: mint.program })
  ]
}

/**
 * Not simulated: the address is known only once the order exists, and the transfer fails only when money is missing.
 */
export const prepareTransfer = async (
  client: SolanaClient,
  intent: DepositIntent
): Promise<PreparedTransfer | DepositUnfit> => {
  const { computeUnitLimit, currency, feePayer, origin, user } = intent
  const owner = address(user)
  const mint = currency.isNative ? undefined : await mintOf(client, origin, currency)
  const from = mint === undefined ? undefined : await tokenAccountOf(mint, owner)
  const [[own, paying, held], least, rent] = await Promise.all([
    readAccounts(client, [owner, address(feePayer ?? user), ...(from === undefined ? [] : [from])]),
    leastBalance(client),
    mint === undefined ? 0n : rentOf(client, mint.accountBytes)
  ])
  const cost = LAMPORTS_A_SIGNATURE * (feePayer === undefined ? 1n : 2n) + rent
  // An account that pays a fee must keep the minimum balance.
  const needed = cost + least
  const payerLamports = paying?.lamports ?? 0n
  if (feePayer !== undefined && payerLamports < needed) {
    return new DepositUnfit({ reason: { _tag: "FeePayerUnfunded", needed, held: payerLamports } })
  }
  const budget = computeUnitLimit === true
    ? [getSetComputeUnitLimitInstruction({ units: computeUnits({ token: mint !== undefined, opens: true }) })]
    : []
  return {
    userBalance: mint === undefined ? own?.lamports ?? 0n : tokensIn(held),
    gas: feePayer === undefined ? cost : 0n,
    to: (
      deposit
    ) => [...budget, ...moving(intent, mint === undefined || from === undefined ? undefined : { mint, from }, deposit)]
  }
}
