/**
 * What a transaction item asks a wallet to send, with one shape per family (STEP-6).
 *
 * Shapes only. The family's adapter builds them, and the client's `verifyQuote` checks them.
 */
import * as Schema from "effect/Schema"

/** An EVM transaction ready for a wallet. Every quantity is a decimal string. */
export const EvmTransactionData = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  data: Schema.String,
  value: Schema.String,
  chainId: Schema.Int,
  gas: Schema.String,
  maxFeePerGas: Schema.String,
  maxPriorityFeePerGas: Schema.String
}).annotate({ description: "ethereum-vm" })
export type EvmTransactionData = typeof EvmTransactionData.Type

/** What a Solana wallet signs. */
export const SolanaTransactionData = Schema.Struct({
  instructions: Schema.Array(Schema.Struct({
    keys: Schema.Array(Schema.Struct({ pubkey: Schema.String, isSigner: Schema.Boolean, isWritable: Schema.Boolean })),
    programId: Schema.String,
    data: Schema.String.annotate({ description: "hex without 0x" })
  })),
  addressLookupTableAddresses: Schema.Array(Schema.String),
  feePayer: Schema.optionalKey(
    Schema.String.annotate({ description: "depositFeePayer, whose signature is needed first; else the user" })
  )
}).annotate({ description: "solana-vm" })
export type SolanaTransactionData = typeof SolanaTransactionData.Type

/** What a Bitcoin wallet signs. */
export const BitcoinTransactionData = Schema.Struct({
  psbt: Schema.String.annotate({
    description: "hex; empty at a deposit address that the user's own coins do not pay: anybody can pay it"
  })
}).annotate({ description: "bitcoin-vm" })
export type BitcoinTransactionData = typeof BitcoinTransactionData.Type

const TronAccount = Schema.String.annotate({ description: "41 and 40 hex digits: send it with `visible: false`" })
const sun = Schema.Int.annotate({ description: "sun, a JSON number" })

/** A contract's call that a Tron wallet signs: the parameters of `wallet/triggersmartcontract`. */
export const TronCallData = Schema.Struct({
  type: Schema.Literal("TriggerSmartContract"),
  parameter: Schema.Struct({
    owner_address: TronAccount,
    contract_address: TronAccount,
    data: Schema.String.annotate({ description: "hex without 0x" }),
    call_value: sun
  })
}).annotate({ description: "tron-vm" })
export type TronCallData = typeof TronCallData.Type

/** A transfer of TRX that a Tron wallet signs: the parameters of `wallet/createtransaction`, and a memo. */
export const TronTransferData = Schema.Struct({
  type: Schema.Literal("TransferContract"),
  parameter: Schema.Struct({ owner_address: TronAccount, to_address: TronAccount, amount: sun }),
  memo: Schema.optionalKey(Schema.String.annotate({
    description:
      "the order's id, which the transaction must have as its memo (`raw_data.data`), as this text or as its 32 bytes; absent at a deposit address"
  }))
}).annotate({ description: "tron-vm: a step `send` of TRX, and a `deposit` of TRX at a deposit address" })
export type TronTransferData = typeof TronTransferData.Type

const Milliseconds = Schema.Int.annotate({ description: "a time in milliseconds" })

/**
 * What an account of exchange A signs, and posts to the exchange itself: the parameters with `type` and
 * `signatureChainId`, the number of the EVM chain that its wallet is on.
 */
export const ExchangeATransactionData = Schema.Struct({
  action: Schema.Struct({
    type: Schema.Literal("sendAsset"),
    parameters: Schema.Struct({
      hyperliquidChain: Schema.Literals(["Mainnet", "Testnet"]),
      destination: Schema.String,
      sourceDex: Schema.String.annotate({ description: "empty for USDC perps, \"spot\", or the name of a perps dex" }),
      destinationDex: Schema.String,
      token: Schema.String.annotate({ description: "its name, a colon, its id" }),
      amount: Schema.String.annotate({ description: "a decimal" }),
      fromSubAccount: Schema.Literal(""),
      nonce: Milliseconds
    })
  }),
  nonce: Milliseconds,
  eip712Types: Schema.Record(Schema.String, Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))),
  eip712PrimaryType: Schema.String
}).annotate({ description: "exchangea-vm; the nonce is that of the step `authorize`" })
export type ExchangeATransactionData = typeof ExchangeATransactionData.Type

const Route = Schema.Int.annotate({ description: "0: perps, 1: spot" })

/**
 * The transfer that an account of exchange B makes by a client of the exchange, which signs it with an API key and the
 * owner's Ethereum account.
 */
export const ExchangeBTransactionData = Schema.Struct({
  action: Schema.Struct({
    type: Schema.Literal("transfer"),
    parameters: Schema.Struct({
      toAccountIndex: Schema.Int,
      assetIndex: Schema.Int,
      fromRouteType: Route,
      toRouteType: Route,
      amount: Schema.Int.annotate({ description: "smallest units, a JSON number" }),
      usdcFee: Schema.Int.annotate({ description: "the exchange's fee, smallest units of USDC" }),
      memo: Schema.String.annotate({ description: "0x and the order's id" })
    })
  })
}).annotate({ description: "exchangeb-vm" })
export type ExchangeBTransactionData = typeof ExchangeBTransactionData.Type

/** What a wallet signs on a chain of an additional family, in the family's own format. */
export const OtherTransactionData = Schema.Struct({
  vmType: Schema.NonEmptyString.annotate({ description: "the family's own name" }),
  transaction: Schema.Record(Schema.String, Schema.Json)
}).annotate({ description: "any other family" })
export type OtherTransactionData = typeof OtherTransactionData.Type

export const TransactionData = Schema.Union([
  EvmTransactionData,
  SolanaTransactionData,
  BitcoinTransactionData,
  TronCallData,
  TronTransferData,
  ExchangeATransactionData,
  ExchangeBTransactionData,
  OtherTransactionData
])
export type TransactionData = typeof TransactionData.Type

/** Distinguishes the two exchanges' data, whose shapes overlap. */
export const isExchangeBData = (data: TransactionData): data is ExchangeBTransactionData =>
  "action" in data && data.action.type === "transfer"
