/**
 * The answers of Bitcoin Core, decoded once at the edge. Pure, total.
 *
 * Only a transaction's bytes count: id, amounts and scripts are computed from them. The other JSON fields are ignored,
 * except the block and what the inputs spend.
 */
import { hexToBytes as bytesOf } from "@noble/hashes/utils.js"
import { Schema } from "effect"

export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
export const Hash = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** Hex digits. No block is longer. */
const MOST_HEX = 8_000_000
const HexBytes = Schema.String.check(Schema.isMaxLength(MOST_HEX).abort(), Schema.isPattern(/^(?:[0-9a-f]{2})*$/))

export const Info = Schema.Struct({ blocks: Count, bestblockhash: Hash })

export const Header = Schema.Struct({ hash: Hash, height: Count, time: Count })

/** A block's place, also of one that the chain has left: then `confirmations` is negative. */
export const Link = Schema.Struct({
  hash: Hash,
  height: Count,
  confirmations: Schema.Int,
  previousblockhash: Schema.optionalKey(Hash)
})

const Spending = Schema.Struct({
  prevout: Schema.optionalKey(Schema.Struct({ scriptPubKey: Schema.Struct({ hex: HexBytes }) }))
})

/** `blockhash` is missing while the transaction waits for a block. Older nodes do not say what the inputs spend. */
export const RawTransaction = Schema.Struct({
  hex: HexBytes,
  blockhash: Schema.optionalKey(Hash),
  vin: Schema.Array(Spending)
})
export type RawTransaction = typeof RawTransaction.Type

export const RawBytes = HexBytes

/** The ids of a block's transactions. */
export const BlockIds = Schema.Struct({ hash: Hash, tx: Schema.Array(Hash) })

/** An unspent coin. Null when there is none. */
export const TxOut = Schema.NullOr(Schema.Struct({ confirmations: Count }))

/** The same, with what decides when it can be spent: a block's reward waits for its hundredth confirmation. */
export const UnspentCoin = Schema.NullOr(Schema.Struct({ confirmations: Count, coinbase: Schema.Boolean }))

/** In BTC with eight decimals. */
const Amount = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 21_000_000 }))

export const satoshiOf = (amount: number): bigint => BigInt(Math.round(amount * 100_000_000))

/** Sizes in virtual bytes. `descendant`: of the transaction and of all that spends it. */
export const MempoolEntry = Schema.Struct({
  vsize: Count.check(Schema.isGreaterThan(0)),
  descendantsize: Count.check(Schema.isGreaterThan(0)),
  fees: Schema.Struct({ base: Amount, descendant: Amount })
})

/** The same, with what it holds and its script: the node's word. */
export const HeldCoin = Schema.NullOr(Schema.Struct({
  confirmations: Count,
  coinbase: Schema.Boolean,
  value: Amount,
  scriptPubKey: Schema.Struct({ hex: HexBytes })
}))

export const Refusal = Schema.Struct({ code: Schema.Int, message: Schema.String })

/** Only for text that was checked to be hex. */
export const bytesOfHex = (text: string): Uint8Array => bytesOf(text)
