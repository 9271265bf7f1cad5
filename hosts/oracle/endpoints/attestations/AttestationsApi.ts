/**
 * Bodies of the attestation routes (ORDER-2, ORACLE-2, ORACLE-8). Definitions only. Amounts are decimal strings, hashes
 * 0x hex.
 */
import { Schema } from "effect"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32, Hex32FromString, HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import { KnownHints } from "../../../../src/domain/families/KnownHints.ts"
import { Order } from "../../../../src/domain/order/Order.ts"

export const MOST_TRANSACTION_TEXT = 512

/** Any spelling of the chain's family: the family validates it, and this only bounds its length. */
export const TransactionText = Schema.NonEmptyString.check(Schema.isMaxLength(MOST_TRANSACTION_TEXT))
const Index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_294_967_295 }))
export const peers = { requestPeerSignatures: Schema.optionalKey(Schema.Boolean) }

export const DepositsRequest = Schema.Struct({ chainId: ChainSlug, transactionId: TransactionText, ...peers })

const settlement = {
  order: Order,
  orderSignature: HexFromString.check(Schema.isMaxLength(132)),
  inputs: Schema.Array(Schema.Struct({ transactionId: TransactionText, onchainId: Hex32FromString, inputIndex: Index }))
    .check(Schema.isMaxLength(64)),
  hints: Schema.optionalKey(
    KnownHints.annotate({
      description:
        "where a transfer of exchange A can be looked for when its explorer's quota is used up; nothing is attested by a hint"
    })
  ),
  ...peers
}

export const FillRequest = Schema.Struct({ ...settlement, fill: Schema.Struct({ transactionId: TransactionText }) })

export const RefundRequest = Schema.Struct({
  ...settlement,
  refunds: Schema.Array(Schema.Struct({ transactionId: TransactionText, inputIndex: Index, refundIndex: Index })).check(
    Schema.isMaxLength(64)
  )
})

export const MessageSignature = Schema.Struct({ oracle: Address, signature: Hex })

export const WireExecution = Schema.Struct({
  idempotencyKey: Hex32,
  actions: Schema.Array(Hex),
  /** For deposits, one for each message: the origin of the minted token. */
  metadata: Schema.optionalKey(Schema.Array(Schema.Struct({
    hubTokenId: Schema.String,
    origin: Schema.Struct({ address: Schema.String, chainId: Schema.String, family: Schema.String }),
    oracleChainId: Schema.String,
    oracleContract: Address
  }))),
  signatures: Schema.Array(
    Schema.Struct({ oracleChainId: Schema.String, oracleContract: Address, oracleSigner: Address, signature: Hex })
  )
})
export type WireExecution = typeof WireExecution.Type

export const shadow = {
  shadow: Schema.optionalKey(
    Schema.Literal(true).annotate({ description: "this instance is a shadow: its signatures are not relied on" })
  )
}

/** What an answer reports about its signatures. */
export const notes = {
  signaturesMissing: Schema.optionalKey(
    Schema.Int.annotate({ description: "signers short of ORACLE_SIGNERS_THRESHOLD when the peers' time was over" })
  ),
  ...shadow
}

export const DepositsAnswer = Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    data: Schema.Struct({ chainId: Schema.String, transactionId: Schema.String }),
    result: Schema.Struct({
      onchainId: Hex32,
      depository: Schema.String,
      depositId: Hex32,
      depositor: Schema.String,
      currency: Schema.String,
      amount: Schema.String
    }),
    signature: MessageSignature,
    /** Seconds: the block's time, which is part of the order's account on the hub. */
    extraData: Schema.Struct({ timestamp: Schema.Int })
  })),
  execution: Schema.optionalKey(WireExecution),
  ...notes
})

export const SettlementAnswer = Schema.Struct({
  message: Schema.Struct({
    /** The claim as it was sent. */
    data: Schema.Json,
    result: Schema.Struct({ orderId: Hex32, status: Schema.Int, totalWeightedInputPaymentBpsDiff: Schema.String }),
    signature: MessageSignature
  }),
  execution: WireExecution,
  ...notes
})
