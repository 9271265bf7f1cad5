/**
 * The accounts of the ledger, and the sign that each balance may have (SPONSOR-9, LEDGER-1).
 *
 * A balance is the sum of an account's postings. What we owe or hold for somebody is positive. What came in from
 * outside or is owed to us is negative. `funded` accounts hold received money. `promised` accounts hold no money yet.
 */
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { RequestId } from "../transfer/RequestId.ts"

/** An account of the double-entry ledger, by whose it is and what it is for. */
export const Account = Schema.TaggedUnion({
  /** The outside world. Minus its balance is what was received and not paid out again. */
  External: {},
  /** What a wallet may spend on its keys' requests, or withdraw. */
  Wallet: { wallet: Address },
  /** Reserved from a wallet for one request whose deposit was seen. */
  Hold: { wallet: Address, request: RequestId },
  /** Reserved from a wallet's balance or app fees for one payment to it, until the payment is final or impossible. */
  Payout: { wallet: Address, payout: Hex32 },
  /** Sponsored fees that the solver earned. */
  Revenue: {},
  /** App fees that a recipient may claim. */
  AppFeePayable: { recipient: Address },
  /** What a sponsor owes for app fees that it took over. */
  Receivable: { wallet: Address },
  /** App fees that a recipient may not claim until the sponsor has paid. */
  AppFeePending: { recipient: Address }
})
export type Account = typeof Account.Type

/** A unique text for each account, used in sums, rows and comparisons. No family's address contains a colon. */
export const accountKey = (account: Account): string => {
  switch (account._tag) {
    case "External":
    case "Revenue":
      return account._tag
    case "Wallet":
    case "Receivable":
      return `${account._tag}:${account.wallet}`
    case "AppFeePayable":
    case "AppFeePending":
      return `${account._tag}:${account.recipient}`
    case "Hold":
      return `${account._tag}:${account.wallet}:${account.request}`
    case "Payout":
      return `${account._tag}:${account.wallet}:${account.payout}`
  }
}

/** The account's owner. Undefined for the outside world and the solver's own. */
export const ownerOf = (account: Account): Address | undefined => {
  switch (account._tag) {
    case "External":
    case "Revenue":
      return undefined
    case "Wallet":
    case "Receivable":
    case "Hold":
    case "Payout":
      return account.wallet
    case "AppFeePayable":
    case "AppFeePending":
      return account.recipient
  }
}

/** True for accounts that hold received money. The others are promises of a sponsor for app fees. */
export const isFunded = ({ _tag }: Account): boolean => _tag !== "Receivable" && _tag !== "AppFeePending"

/** True when a balance has the account's sign: never below zero, or never above zero for what comes from outside. */
export const mayHave = ({ _tag }: Account, balance: bigint): boolean =>
  _tag === "External" || _tag === "Receivable" ? balance <= 0n : balance >= 0n
