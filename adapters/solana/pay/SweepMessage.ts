/**
 * A sweep of a deposit address as a Solana transaction. The address's own key deposits its whole balance of a currency
 * and names the order. The solver signs first, pays the fee, and opens the vault's account when it is missing. So the
 * deposit is exactly the amount that arrived, and an address with lamports ends with none.
 *
 * Without a memo: a transaction with the order's id as its memo would be a payment of that order (SOLANA-4).
 */
import {
  addSignersToInstruction,
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import type { Address, TransactionSigner } from "@solana/kit"
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import type { SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import { findCurrency } from "../../../src/domain/chain/Chain.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { DEPOSIT_COMPUTE_UNITS } from "../../../src/domain/families/solana/SolanaCosts.ts"
import { accountsOf, depositInstruction, openingVault } from "../quote/DepositInstructions.ts"
import type { DepositedToken } from "../quote/DepositInstructions.ts"
import { feeOf, readUnitPrice } from "./Fees.ts"
import type { RecentBlock } from "./PaymentMessage.ts"
import { leastBalance, rentOf } from "../rpc/Rent.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"

/** Two signers: the payer of the fee, and the address. */
const SIGNATURES = 2n

export interface SweepFacts {
  /** The whole balance, smallest units. */
  readonly units: bigint
  /** Undefined for native currency. */
  readonly token: DepositedToken | undefined
  /** The rent of the vault's account, when it has to be opened. Lamports. */
  readonly rent: bigint
  /** The lamports that the payer may spend. */
  readonly lamports: bigint
  /** Micro-lamports. */
  readonly unitPrice: bigint
  /** Lamports. */
  readonly fee: bigint
}

/** The fee of a sweep from an address that is still empty, in any currency. */
export const readSweepFee = async (client: SolanaClient, payer: Address, { depository }: Chain): Promise<bigint> =>
  feeOf(SIGNATURES, DEPOSIT_COMPUTE_UNITS, await readUnitPrice(client, [payer, accountsOf(depository).vault]))

/** Undefined for what is not a currency of the chain, or would not arrive completely. */
export const readSweepFacts = async (
  client: SolanaClient,
  payer: Address,
  { chain, sweep }: SweepPayment
): Promise<SweepFacts | undefined> => {
  const currency = findCurrency(chain, sweep.currency)
  if (currency === undefined) return undefined
  const swept = address(sweep.address)
  const { vault } = accountsOf(chain.depository)
  const mint = currency.isNative ? undefined : await mintOf(client, chain, currency)
  if (mint?.isWhole === false) return undefined
  const moved = mint === undefined ? [] : await Promise.all([tokenAccountOf(mint, swept), tokenAccountOf(mint, vault)])
  const [[paying, own, held, vaults], unitPrice, least, rent] = await Promise.all([
    readAccounts(client, [payer, swept, ...moved]),
    readUnitPrice(client, [payer, swept, vault, ...moved]),
    leastBalance(client),
    mint === undefined ? 0n : rentOf(client, mint.accountBytes)
  ])
  const [from, into] = moved
  const token = mint === undefined || from === undefined || into === undefined
    ? undefined
    : { mint, from, into, isOpen: vaults !== undefined }
  const lamports = (paying?.lamports ?? 0n) - least
  return {
    units: token === undefined ? own?.lamports ?? 0n : tokensIn(held),
    token,
    rent: token?.isOpen === false ? rent : 0n,
    lamports: lamports > 0n ? lamports : 0n,
    unitPrice,
    fee: feeOf(SIGNATURES, DEPOSIT_COMPUTE_UNITS, unitPrice)
  }
}

export const sweepMessage = (
  payer: TransactionSigner,
  swept: TransactionSigner,
  { chain, sweep }: SweepPayment,
  { token, unitPrice, units }: SweepFacts,
  recent: RecentBlock
) => {
  const deposit = depositInstruction({
    depository: chain.depository,
    sender: swept.address,
    depositor: address(sweep.depositor),
    amount: units,
    token,
    id: sweep.depositId
  })
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    (message) =>
      appendTransactionMessageInstructions([
        getSetComputeUnitLimitInstruction({ units: DEPOSIT_COMPUTE_UNITS }),
        ...(unitPrice === 0n ? [] : [getSetComputeUnitPriceInstruction({ microLamports: unitPrice })]),
        ...openingVault(payer, chain.depository, token),
        addSignersToInstruction([swept], deposit)
      ], message)
  )
}
