/** The facts that a payment needs about its accounts, read together, or why the recipient could not keep it. */
import { address, isOffCurveAddress } from "@solana/kit"
import type { Address } from "@solana/kit"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { computeUnits, feeOf, readUnitPrice } from "./Fees.ts"
import { leastBalance, rentOf } from "../rpc/Rent.ts"
import type { SolanaClient } from "../rpc/SolanaRpc.ts"
import { isMissing, isOwnedBy, mintOf, readAccounts, tokenAccountOf, tokensIn } from "../rpc/Tokens.ts"
import type { Mint, ShownAccount } from "../rpc/Tokens.ts"

/** The token part of a payment. */
export interface TokenFacts {
  readonly mint: Mint
  readonly source: Address
  readonly destination: Address
  /** The source's balance, smallest units. */
  readonly held: bigint
  /** Whether the payment has to open the destination. */
  readonly opens: boolean
  /** What the destination must hold when it is opened, lamports. */
  readonly rent: bigint
}

export interface PaymentFacts {
  /** Whether anyone can spend the payment afterwards, as far as the chain shows. */
  readonly isKept: boolean
  /** The lamports that the payer may spend, without the minimum balance. */
  readonly lamports: bigint
  /** The recipient's own lamports, and the least that it may have of them unless it is empty. */
  readonly recipientLamports: bigint
  readonly leastBalance: bigint
  /** Undefined for native currency. */
  readonly token: TokenFacts | undefined
  /** The rent of the recipient's token account, when the payment has to open it. Lamports. */
  readonly rent: bigint
  readonly units: number
  /** Micro-lamports. */
  readonly unitPrice: bigint
  /** Lamports. */
  readonly fee: bigint
}

/**
 * True for a wallet, or a program's account that acts as one: owned by the System program, without data. An account of
 * another program (a token account, a mint, a program itself) is not a wallet. A missing account with an address off
 * the curve is most likely a token account that does not exist.
 */
export const isWallet = (recipient: Address, account: ShownAccount | undefined): boolean =>
  account === undefined
    ? !isOffCurveAddress(recipient)
    : account.owner === SYSTEM_PROGRAM_ADDRESS && !account.executable && account.data.length === 0

const tokenAddresses = async (client: SolanaClient, payer: Address, { chain, currency, recipient }: Payment) => {
  if (currency.isNative) return undefined
  const mint = await mintOf(client, chain, currency)
  const [source, destination] = await Promise.all([
    tokenAccountOf(mint, payer),
    tokenAccountOf(mint, address(recipient))
  ])
  return { mint, source, destination }
}

/** The least that a native payment must bring, lamports: an account is either empty or holds the minimum balance. */
export const leastPayment = (
  { currency }: Pick<Payment, "currency">,
  { leastBalance: least, recipientLamports }: Pick<PaymentFacts, "leastBalance" | "recipientLamports">
): bigint => currency.isNative && recipientLamports < least ? least - recipientLamports : 0n

export const readPaymentFacts = async (
  client: SolanaClient,
  payer: Address,
  payment: Payment
): Promise<PaymentFacts> => {
  const recipient = address(payment.recipient)
  const token = await tokenAddresses(client, payer, payment)
  const writable = token === undefined ? [payer, recipient] : [payer, token.source, token.destination]
  const [[paying, receiving, source, destination], unitPrice, least, rent] = await Promise.all([
    readAccounts(client, [payer, recipient, ...(token === undefined ? [] : [token.source, token.destination])]),
    readUnitPrice(client, writable),
    leastBalance(client),
    token === undefined ? 0n : rentOf(client, token.mint.accountBytes)
  ])
  const opens = token !== undefined && isMissing(destination)
  const isTheirs = token === undefined || opens || (destination !== undefined && isOwnedBy(destination, recipient))
  const units = computeUnits({ token: token !== undefined, opens })
  const lamports = (paying?.lamports ?? 0n) - least
  return {
    isKept: isWallet(recipient, receiving) && isTheirs && (token?.mint.isWhole ?? true),
    lamports: lamports > 0n ? lamports : 0n,
    recipientLamports: receiving?.lamports ?? 0n,
    leastBalance: least,
    token: token === undefined ? undefined : { ...token, held: tokensIn(source), opens, rent },
    // All of it, whatever others have sent to the address: who opens and closes the account before this payment has that.
    rent: opens ? rent : 0n,
    units,
    unitPrice,
    fee: feeOf(1n, units, unitPrice)
  }
}
