/**
 * The answers of exchange B, decoded once at the edge: transactions, the logs of an account, its time. Pure, total.
 *
 * Only the members that evidence needs are decoded. 64-bit numbers come as JSON numbers, which the parser keeps exact.
 */
import { Schema } from "effect"
import { Hex, hex32FromDigest } from "../../../src/domain/encoding/Hex.ts"
import type { SentTransfer } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { Count, exactJsonOrNothing, U64 } from "../../quorum/rpc/ExactJson.ts"

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const MemoBytes = Schema.Array(Byte).check(Schema.makeFilter((bytes) => bytes.length === 32, { title: "32 bytes" }))
export const Hash = Schema.String.check(Schema.isPattern(/^(?:0x)?(?:[0-9a-fA-F]{2}){32,64}$/))

/** The exchange's status: 0 and 1 are in flight, 2 and 3 are done, 4 and 5 will never be done. */
const Status = Schema.Literals([0, 1, 2, 3, 4, 5])

export const RawTransaction = Schema.Struct({
  hash: Hash,
  type: Schema.Int,
  status: Status,
  info: Schema.String.check(Schema.isMaxLength(65_536)),
  block_height: Count,
  /** Milliseconds. */
  queued_at: Count
})
export type RawTransaction = typeof RawTransaction.Type

/** The exchange's answer for an unknown transaction. Every other error means that the reading failed. */
export const NotFound = Schema.Struct({
  code: Schema.Int,
  message: Schema.String.check(Schema.isPattern(/not found/i))
})

/** A transfer between two accounts. */
export const TRANSFER = 12

const TransferInfo = Schema.Struct({
  FromAccountIndex: U64,
  ApiKeyIndex: U64,
  ToAccountIndex: U64,
  AssetIndex: U64,
  FromRouteType: U64,
  ToRouteType: U64,
  Amount: U64,
  USDCFee: U64,
  Memo: MemoBytes,
  Nonce: U64,
  /** Milliseconds. */
  ExpiredAt: Count,
  L1Sig: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(1_000)))
})
const isSignature = Schema.is(Hex)
const decodeInfo = Schema.decodeUnknownExit(TransferInfo)

export interface ShownTransfer {
  readonly transfer: SentTransfer
  /** Milliseconds. */
  readonly expiredAt: number
  /** By the sender's Ethereum account, over everything that it sent. Absent when there is none. */
  readonly l1Signature?: Hex
}

/** The transfer that `info` describes. Undefined when it describes none. */
export const transferIn = (info: string): ShownTransfer | undefined => {
  const decoded = decodeInfo(exactJsonOrNothing(info))
  if (decoded._tag === "Failure") return undefined
  const {
    Amount,
    ApiKeyIndex,
    AssetIndex,
    ExpiredAt,
    FromAccountIndex,
    FromRouteType,
    L1Sig,
    Memo,
    Nonce,
    ToAccountIndex,
    ToRouteType,
    USDCFee
  } = decoded.value
  const signature = L1Sig?.toLowerCase()
  return {
    expiredAt: ExpiredAt,
    ...(isSignature(signature) ? { l1Signature: signature } : {}),
    transfer: {
      nonce: Nonce,
      fromAccountIndex: FromAccountIndex,
      fromRouteType: FromRouteType,
      apiKeyIndex: ApiKeyIndex,
      toAccountIndex: ToAccountIndex,
      toRouteType: ToRouteType,
      assetIndex: AssetIndex,
      amount: Amount,
      usdcFee: USDCFee,
      memo: hex32FromDigest(Uint8Array.from(Memo))
    }
  }
}

const Index = Schema.Union([Schema.String, Schema.Int, Schema.BigInt])
const Moved = Schema.Struct({ from_account_index: Index, to_account_index: Index })
const Log = Schema.Struct({
  hash: Hash,
  pubdata: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        l2_transfer_pubdata: Schema.optionalKey(Moved),
        l2_transfer_pubdata_v2: Schema.optionalKey(Moved)
      })
    )
  )
})
/** The explorer returns at most 100. */
export const LogsAnswer = Schema.NullOr(Schema.Array(Log).check(Schema.isMaxLength(100)))

/** Hashes of the transfers between two accounts, as the explorer lists them. */
export const transfersBetween = (logs: typeof LogsAnswer.Type, from: bigint, to: bigint): ReadonlyArray<string> =>
  (logs ?? []).flatMap(({ hash, pubdata }) => {
    const moved = pubdata?.l2_transfer_pubdata_v2 ?? pubdata?.l2_transfer_pubdata
    return moved !== undefined && `${moved.from_account_index}` === `${from}` && `${moved.to_account_index}` === `${to}`
      ? [hash]
      : []
  })

/** Seconds. */
export const RootAnswer = Schema.Struct({ timestamp: Count })

/** The decimals of an asset's amounts, and the least that may be transferred to another owner, as a decimal. */
const Asset = Schema.Struct({
  asset_id: Count,
  decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
  /** Absent: any amount. What it means is decided where the asset is paid: another asset's text hinders nobody. */
  min_transfer_amount: Schema.optionalKey(Schema.NullOr(Schema.String.check(Schema.isMaxLength(100))))
})
export const AssetsAnswer = Schema.Struct({ asset_details: Schema.Array(Asset).check(Schema.isMaxLength(100_000)) })
