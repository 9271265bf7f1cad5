/**
 * What payments need of exchange B's answers, decoded once at the edge: nonces, fees, accounts, lists, submissions. Pure,
 * total.
 */
import { Schema } from "effect"
import { Count, exactJsonOrNothing } from "../../quorum/rpc/ExactJson.ts"
import { Mode } from "./AccountAnswers.ts"
import { Hash } from "./NodeAnswers.ts"

/** The nonce that an API key uses next. */
export const NonceAnswer = Schema.Struct({ nonce: Count })

/** Smallest units of USDC. */
export const FeeAnswer = Schema.Struct({ transfer_fee_usdc: Count })

/** Decimals of the asset. */
const Amount = Schema.String.check(Schema.isPattern(/^\d{1,20}(?:\.\d{1,18})?$/))

/**
 * What decides whether an account can be paid. Nothing else of a recipient is read: its balances are its own matter, and
 * those of an account in trouble may be negative or missing.
 */
const Recipient = Schema.Struct({
  index: Count,
  /** Absent in older answers. */
  account_type: Schema.optionalKey(Schema.NullOr(Count))
})
export const RecipientAnswer = Schema.Struct({ accounts: Schema.Array(Recipient).check(Schema.isMaxLength(1)) })

/** The account that pays, or whose balance a quote shows. */
const Account = Schema.Struct({
  index: Count,
  account_trading_mode: Mode,
  /** USDC on perps that no position holds. */
  available_balance: Amount,
  assets: Schema.Array(Schema.Struct({ asset_id: Count, balance: Amount, locked_balance: Amount }))
})

/** The account of an index: one, or none. */
export const AccountAnswer = Schema.Struct({ accounts: Schema.Array(Account).check(Schema.isMaxLength(1)) })

/** An entry of an account's transactions. Its `info` lacks the memo. */
const Listed = Schema.Struct({ hash: Hash, info: Schema.String.check(Schema.isMaxLength(65_536)), queued_at: Count })
export type ListedTransaction = typeof Listed.Type
export const ListAnswer = Schema.Struct({ txs: Schema.Array(Listed).check(Schema.isMaxLength(100)) })

/** A transfer names its account as the sender. Every other kind of transaction has an account alone. */
const Numbered = Schema.Union([
  Schema.Struct({ FromAccountIndex: Count, ApiKeyIndex: Count, Nonce: Count }),
  Schema.Struct({ AccountIndex: Count, ApiKeyIndex: Count, Nonce: Count })
])
const decodeNumbered = Schema.decodeUnknownExit(Numbered)

/** Whose nonce a transaction has used. */
export interface UsedNonce {
  readonly account: bigint
  readonly apiKey: bigint
  readonly nonce: bigint
}

/** Undefined for what no API key has signed. */
export const nonceIn = ({ info }: Pick<ListedTransaction, "info">): UsedNonce | undefined => {
  const decoded = decodeNumbered(exactJsonOrNothing(info))
  if (decoded._tag === "Failure") return undefined
  const { ApiKeyIndex, Nonce } = decoded.value
  const account = "FromAccountIndex" in decoded.value ? decoded.value.FromAccountIndex : decoded.value.AccountIndex
  return { account: BigInt(account), apiKey: BigInt(ApiKeyIndex), nonce: BigInt(Nonce) }
}

/** The answer to a signed transfer. Without code 200 it was not taken, and has used no nonce. */
export const SubmitAnswer = Schema.Struct({
  code: Schema.Int,
  tx_hash: Schema.optionalKey(Hash),
  message: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(65_536)))
})
