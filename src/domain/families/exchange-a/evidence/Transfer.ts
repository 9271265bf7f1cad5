/**
 * What a transfer of exchange A shows (EXCHANGEA-1, EXCHANGEA-6): one payment, which is a deposit into the depository's
 * account or a withdrawal from it. Amounts are scaled exactly, by the token's wei decimals.
 *
 * A transfer that the protocol cannot express, such as an amount with a remainder, proves nothing and says why. A
 * transfer does not name its order. A nonce mapping names it, by sender and nonce.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { exchangeAAddresses } from "../ExchangeAAddresses.ts"
import { ZERO_32 } from "../../../encoding/Hex.ts"
import { scaleDecimal } from "../DecimalAmount.ts"
import { exchangeACurrency, exchangeAWithdrawalId } from "../ExchangeAWithdrawal.ts"
import type { ExchangeAWithdrawal } from "../ExchangeAWithdrawal.ts"
import type { TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"

/** As the exchange knows it: the sender, and what was signed. Withdrawals are sent by the depository itself. */
export interface SentTransfer {
  readonly sender: Address
  readonly transfer: ExchangeAWithdrawal
}

/** The part of a transaction's evidence that a transfer can have. */
export type TransferFacts = Pick<
  TransactionEvidence,
  "deposits" | "payments" | "withdrawals" | "mappedBy" | "unattestable"
>

/** Wei decimals by token id (0x and 32 hex digits, lower case). */
export type WeiDecimals = ReadonlyMap<string, number>

/** Every transaction has exactly one transfer. */
export const TRANSFER_INDEX = 0

/** No order is named, or not yet. */
export const NO_ORDER = ZERO_32

/** The decimals of USDC on perps, which no token list contains. */
export const PERPS_DECIMALS = 8

const nothing: TransferFacts = { deposits: [], payments: [], withdrawals: [] }

/** The token id from NAME:0x… or from the id alone. */
export const tokenIdOf = (token: string): string => token.slice(token.indexOf(":") + 1).toLowerCase()

/** The token whose decimals are needed. Undefined for USDC on perps. */
export const tokenOf = (transfer: ExchangeAWithdrawal): string | undefined =>
  transfer._tag === "UsdSend" || transfer.destinationDex === "" ? undefined : tokenIdOf(transfer.token)

const nonceOf = (transfer: ExchangeAWithdrawal): bigint => transfer._tag === "UsdSend" ? transfer.time : transfer.nonce

/** The received amount, in the currency of the receiving dex. */
const receivedBy = (transfer: ExchangeAWithdrawal, decimals: WeiDecimals) =>
  Result.gen(function*() {
    const recipient = yield* exchangeAAddresses.parse(transfer.destination.toLowerCase())
    const token = tokenOf(transfer)
    const currency = transfer._tag === "UsdSend"
      ? exchangeAAddresses.nativeCurrency
      : yield* exchangeACurrency(transfer.destinationDex, transfer.token)
    const digits = token === undefined ? PERPS_DECIMALS : decimals.get(token)
    const amount = digits === undefined ? undefined : scaleDecimal(transfer.amount, digits)
    return amount === undefined || amount === 0n
      ? yield* Result.fail({ message: "no exact amount of the token, above zero" })
      : { recipient, currency, amount }
  })

/** `graceLeft`: seconds in which a mapping of its nonce may still arrive. */
export const transferFacts = (
  { sender, transfer }: SentTransfer,
  depository: Address,
  decimals: WeiDecimals,
  graceLeft: number
): TransferFacts => {
  if (sender === depository) {
    const id = exchangeAWithdrawalId(transfer)
    return Result.isSuccess(id) ? { ...nothing, withdrawals: [id.success] } : nothing
  }
  const received = receivedBy(transfer, decimals)
  if (Result.isFailure(received)) return { ...nothing, unattestable: received.failure.message }
  const { amount, currency, recipient } = received.success
  return {
    deposits: recipient === depository
      ? [{ depository, index: TRANSFER_INDEX, depositId: NO_ORDER, depositor: sender, currency, amount }]
      : [],
    payments: recipient === depository ? [] : [{ recipient, currency, amount, through: { _tag: "Direct" } }],
    withdrawals: [],
    mappedBy: { wallet: sender, nonce: nonceOf(transfer), graceLeft }
  }
}
