/**
 * The accounts of the ledger, and which way each may lean (SPONSOR-9, LEDGER-1).
 *
 * A balance is the sum of an account's postings. What we owe or hold for somebody is positive, what came in from
 * outside or is owed to us is negative. `funded` accounts are money that was received; `promised` ones are nobody's
 * money yet.
 */
import * as Schema from "effect/Schema"
import { Address } from "../chain/Address.ts"
import { Hex32 } from "../encoding/Hex.ts"
import { RequestId } from "../transfer/RequestId.ts"

export const Account = Schema.TaggedUnion({
  /** The world outside: minus its balance is what was received and not paid out again. */
  External: {},
  /** What a wallet may spend on its keys' requests, or withdraw. */
  Wallet: { wallet: Address },
  /** Taken off a wallet for one request whose deposit was seen. */
  Hold: { wallet: Address, request: RequestId },
  /** Taken off a wallet's balance or app fees for one payment to it, until that is final or can never be made. */
  Payout: { wallet: Address, payout: Hex32 },
  /** Sponsored fees that the solver earned. */
  Revenue: {},
  /** App fees that a recipient may claim. */
  AppFeePayable: { recipient: Address },
  /** What a sponsor owes for app fees it took over. */
  Receivable: { wallet: Address },
  /** App fees that a recipient may not claim before their sponsor has paid. */
  AppFeePending: { recipient: Address }
})
export type Account = typeof Account.Type

/** One text for each account: what sums, rows and comparisons go by. No family's address holds a colon. */
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

/** Whose account it is; undefined for the world's and the solver's own. */
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

/** True for the accounts that hold received money; the others are promises between a sponsor and its app fees. */
export const isFunded = ({ _tag }: Account): boolean => _tag !== "Receivable" && _tag !== "AppFeePending"

/** True when a balance is on the account's own side: never below zero, for what comes from outside never above. */
export const mayHave = ({ _tag }: Account, balance: bigint): boolean =>
  _tag === "External" || _tag === "Receivable" ? balance <= 0n : balance >= 0n
