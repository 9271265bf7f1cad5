/**
 * What a transfer of exchange A shows (EXCHANGEA-1): one payment, which is a deposit into the depository's account or a
 * withdrawal out of it. Amounts are scaled exactly, by the token's wei decimals.
 *
 * A transfer that the protocol cannot express, such as an amount with a remainder, proves nothing and says why. It does
 * not name its order: a nonce mapping does, by sender and nonce.
 */
import * as Result from "effect/Result"
import type { Address } from "../../../chain/Address.ts"
import { exchangeAAddresses } from "../ExchangeAAddresses.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import { scaleDecimal } from "../DecimalAmount.ts"
import { exchangeACurrency, exchangeAWithdrawalId } from "../ExchangeAWithdrawal.ts"
import type { ExchangeAWithdrawal } from "../ExchangeAWithdrawal.ts"
import type { TransactionEvidence } from "../../../evidence/TransactionEvidence.ts"

/** As the exchange knows it: who sent it, and what was signed. Withdrawals are the depository's own. */
export interface SentTransfer {
  readonly sender: Address
  readonly transfer: ExchangeAWithdrawal
}

export type TransferFacts = Pick<
  TransactionEvidence,
  "deposits" | "payments" | "withdrawals" | "mappedBy" | "unattestable"
>

/** Wei decimals by token id, 0x and 32 hex digits in lower case. */
export type WeiDecimals = ReadonlyMap<string, number>

/** A transfer is the only one of its transaction. */
export const TRANSFER_INDEX = 0

/** No order named, or none yet. */
export const NO_ORDER = Hex32.make(`0x${"0".repeat(64)}`)

/** Of USDC on perps, which is in no list of tokens. */
export const PERPS_DECIMALS = 8

const nothing: TransferFacts = { deposits: [], payments: [], withdrawals: [] }

/** The id of a token that is written as NAME:0x…, or the id alone. */
export const tokenIdOf = (token: string): string => token.slice(token.indexOf(":") + 1).toLowerCase()

/** The token whose decimals have to be known; undefined for USDC on perps. */
export const tokenOf = (transfer: ExchangeAWithdrawal): string | undefined =>
  transfer._tag === "UsdSend" || transfer.destinationDex === "" ? undefined : tokenIdOf(transfer.token)

const nonceOf = (transfer: ExchangeAWithdrawal): bigint => transfer._tag === "UsdSend" ? transfer.time : transfer.nonce

/** What arrived, in the currency of the dex on which it did. */
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

/** `graceLeft`: seconds for which a mapping of its nonce may still come to count. */
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
