/**
 * Withdrawals of ledger-vm: one transfer of the depository's account, as its key signs it. Its bytes are the UTF-8 of the
 * transfer's members as JSON, each once and in this order. Its id is what the depository signs, so it is valid on one
 * ledger only.
 *
 * A transfer says no last second. Only one that its block did not execute is over (`expiresAsTold`).
 */
import {
  expiresAsTold,
  type Hex,
  hexFromBytes,
  hexToBytes,
  type InvalidWithdrawal,
  invalidWithdrawal,
  type Payout,
  withdrawalRules
} from "causeway-kit"
import { Result, Schema } from "effect"
import { digestOf, Transfer } from "../ledger/Transfer.ts"
import { family } from "./LedgerAddresses.ts"

const toText = Schema.encodeSync(Schema.fromJsonString(Transfer))
const fromText = Schema.decodeUnknownResult(Schema.fromJsonString(Transfer), { onExcessProperty: "error" })

/** One transfer has one encoding: its members stand in the order of `Transfer`. */
export const encodeLedgerWithdrawal = (
  { amount, currency, fee, ledger, memo, payer, recipient, sender, sequence }: Transfer
): Hex =>
  hexFromBytes(new TextEncoder().encode(toText({
    ledger,
    sender,
    sequence,
    recipient,
    currency,
    amount,
    fee,
    memo,
    ...(payer === undefined ? {} : { payer })
  })))

/** Accepts only the encoding above. */
export const decodeLedgerWithdrawal = (encoded: Hex): Result.Result<Transfer, InvalidWithdrawal> =>
  Result.flatMap(
    Result.mapError(
      fromText(new TextDecoder().decode(hexToBytes(encoded))),
      () => Result.getOrThrow(Result.flip(invalidWithdrawal(family, "no transfer of a ledger")))
    ),
    (transfer) =>
      encodeLedgerWithdrawal(transfer) === encoded
        ? Result.succeed(transfer)
        : invalidWithdrawal(family, "not in its only encoding")
  )

const payoutOf = ({ amount, currency, payer, recipient }: Transfer): Result.Result<Payout, InvalidWithdrawal> => {
  if (amount === 0n) return invalidWithdrawal(family, "an amount of zero")
  if (payer !== undefined) return invalidWithdrawal(family, "its fee is another account's")
  return Result.succeed({ currency, recipient, amount })
}

export const ledgerWithdrawals = withdrawalRules<Transfer>({
  decode: decodeLedgerWithdrawal,
  idOf: (transfer) => Result.succeed(digestOf(transfer)),
  payoutOf,
  expirationOf: expiresAsTold,
  isOf: ({ sender }, depository) => sender === depository
})
