/**
 * The answers of exchange A's explorer and info interface, decoded once at the edge. Pure, total.
 *
 * Only the members that evidence needs are decoded. A transfer with a missing member does not decode. Every other
 * action is a transaction that shows nothing.
 */
import { Schema, SchemaTransformation } from "effect"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { ExchangeAWithdrawal } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { Count, InU64 } from "../../quorum/rpc/ExactJson.ts"

const Text = Schema.String.check(Schema.isMaxLength(256))
const Nonce = Schema.Union([Count, InU64])
const Account = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)).pipe(
  Schema.decodeTo(
    Address,
    SchemaTransformation.transform({ decode: (text) => text.toLowerCase(), encode: (text: string) => text })
  )
)

const UsdSend = Schema.Struct({
  type: Schema.Literal("usdSend"),
  hyperliquidChain: Text,
  destination: Text,
  amount: Text,
  time: Nonce
})
const SendAsset = Schema.Struct({
  type: Schema.Literal("sendAsset"),
  hyperliquidChain: Text,
  destination: Text,
  sourceDex: Text,
  destinationDex: Text,
  token: Text,
  amount: Text,
  fromSubAccount: Text,
  nonce: Nonce
})
const Other = Schema.Struct({
  type: Text.check(Schema.makeFilter((type) => type !== "usdSend" && type !== "sendAsset"))
})

export const RawTransaction = Schema.Struct({
  action: Schema.Union([UsdSend, SendAsset, Other]),
  block: Count,
  error: Schema.NullOr(Schema.String),
  hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/)),
  /** Milliseconds. */
  time: Count,
  user: Account
})
export type RawTransaction = typeof RawTransaction.Type

/** The explorer's answer for an unknown transaction. Every other error means that the reading failed. */
const NotFound = Schema.Struct({
  type: Schema.Literal("error"),
  message: Schema.String.check(Schema.isPattern(/not found/i))
})
const Found = Schema.Struct({ type: Schema.Literal("txDetails"), tx: RawTransaction })
export const TransactionAnswer = Schema.Union([Found, NotFound])

/** No account's list comes near this. */
const MOST_LISTED = 100_000

/** An unreadable other transaction of the account is not the one that is searched. */
const Unreadable = Schema.Unknown
export const AccountAnswer = Schema.Struct({
  type: Schema.Literal("userDetails"),
  txs: Schema.Array(Schema.Union([RawTransaction, Unreadable])).check(Schema.isMaxLength(MOST_LISTED))
})

/** Whose transaction of a block it is. Another account's is not decoded any further. */
export const isInBlock = Schema.is(Schema.Struct({
  hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/)),
  user: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))
}))

/** `blockTime` in milliseconds. An unknown block is an error like an unknown transaction. */
export const BlockAnswer = Schema.Union([
  Schema.Struct({
    type: Schema.Literal("blockDetails"),
    blockDetails: Schema.Struct({
      blockTime: Count,
      height: Count,
      numTxs: Count,
      txs: Schema.Array(Schema.Unknown).check(Schema.isMaxLength(MOST_LISTED))
    })
  }),
  NotFound
])

export const StatusAnswer = Schema.Struct({ time: Count })

const Token = Schema.Struct({
  name: Schema.optionalKey(Text),
  tokenId: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{32}$/)),
  weiDecimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 }))
})
export const TokensAnswer = Schema.Struct({ tokens: Schema.Array(Token).check(Schema.isMaxLength(MOST_LISTED)) })

/** One line of an account's ledger. For a `sendAsset` it has all that evidence needs except the network. */
const Send = Schema.Struct({
  type: Schema.Literal("send"),
  user: Account,
  destination: Text,
  sourceDex: Text,
  destinationDex: Text,
  token: Text,
  amount: Text,
  nonce: Nonce,
  /** A decimal of USDC that the sender paid besides. */
  fee: Schema.optionalKey(Text)
})
const LedgerUpdate = Schema.Struct({
  time: Count,
  hash: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{64}$/)),
  /** Other kinds of transfers lack the nonce, or have one of their own, which may be null. */
  delta: Schema.Union([Send, Unreadable])
})
export const LedgerAnswer = Schema.Array(LedgerUpdate).check(Schema.isMaxLength(MOST_LISTED))
export const isSend = Schema.is(Schema.toType(Send))
export type LedgerSend = typeof Send.Type

/** A `usdSend` in a ledger, by its raw form. */
export const isInternalTransfer = Schema.is(Schema.Struct({
  type: Schema.Literal("internalTransfer"),
  user: Text,
  destination: Text
}))

export const RoleAnswer = Schema.Struct({ role: Schema.String })

/** The signed transfer. Undefined for any other action. */
export const transferOf = ({ action }: Pick<RawTransaction, "action">): ExchangeAWithdrawal | undefined => {
  if (!("hyperliquidChain" in action)) return undefined
  const { hyperliquidChain, destination, amount } = action
  if (action.type === "usdSend") {
    return { _tag: "UsdSend", hyperliquidChain, destination, amount, time: BigInt(action.time) }
  }
  const { destinationDex, fromSubAccount, nonce, sourceDex, token } = action
  return {
    _tag: "SendAsset",
    hyperliquidChain,
    destination,
    sourceDex,
    destinationDex,
    token,
    amount,
    fromSubAccount,
    nonce: BigInt(nonce)
  }
}
