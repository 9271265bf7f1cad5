/**
 * The `raw_data` of a transaction of tron-vm: the bytes that are signed, and whose hash is its id (TRON-7). Pure.
 *
 * A transaction has no nonce. It names a block that its chain must have, and the time after which no block may hold it.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Address } from "../../../chain/Address.ts"
import { hexToBytes as bytesOf } from "../../../encoding/Hex.ts"
import { hexDigits } from "../../../encoding/HexDigits.ts"
import { bytesField as bytesIn, intField, protobufFields } from "../evidence/Protobuf.ts"
import type { TronAct } from "../evidence/TronTransaction.ts"
import { bytesField, numberField } from "./WriteProtobuf.ts"

/** A block that a transaction names. */
export interface ReferenceBlock {
  readonly height: bigint
  /** 64 hex digits, which begin with the height. */
  readonly hash: string
}

export interface RawData {
  /** Accounts in EVM form, amounts in sun. */
  readonly act: Exclude<TronAct, { readonly _tag: "Other" }>
  readonly memo: Uint8Array
  readonly reference: ReferenceBlock
  /** Milliseconds of chain time. */
  readonly expiration: number
  /** Milliseconds. Nodes do not look at it: it only makes the id another one. */
  readonly timestamp: number
  /** The most sun that the call of a contract may take for energy. Zero for a transfer. */
  readonly feeLimit: bigint
}

/** Numbers from Tron's protocol files. */
const raw = { blockBytes: 1, blockHash: 4, expiration: 8, memo: 10, contract: 11, timestamp: 14, feeLimit: 18 } as const
const contract = { type: 1, parameter: 2 } as const
const any = { typeUrl: 1, value: 2 } as const
const transfer = { owner: 1, to: 2, amount: 3 } as const
const trigger = { owner: 1, contract: 2, value: 3, input: 4 } as const
const kinds = { TransferContract: 1n, TriggerSmartContract: 31n } as const

const accountBytes = (account: Address): Uint8Array => hexToBytes(`41${account.slice(2)}`)

const contractField = (kind: keyof typeof kinds, value: Uint8Array): Uint8Array =>
  bytesField(
    raw.contract,
    concatBytes(
      numberField(contract.type, kinds[kind]),
      bytesField(
        contract.parameter,
        concatBytes(
          bytesField(any.typeUrl, utf8ToBytes(`type.googleapis.com/protocol.${kind}`)),
          bytesField(any.value, value)
        )
      )
    )
  )

const writeAct = (act: RawData["act"]): Uint8Array => {
  switch (act._tag) {
    case "Transfer":
      return contractField(
        "TransferContract",
        concatBytes(
          bytesField(transfer.owner, accountBytes(act.owner)),
          bytesField(transfer.to, accountBytes(act.to)),
          numberField(transfer.amount, act.amount)
        )
      )
    case "Trigger":
      return contractField(
        "TriggerSmartContract",
        concatBytes(
          bytesField(trigger.owner, accountBytes(act.owner)),
          bytesField(trigger.contract, accountBytes(act.contract)),
          numberField(trigger.value, act.value),
          bytesField(trigger.input, bytesOf(act.input))
        )
      )
  }
}

/** What a transaction holds of a block: two bytes of its height, and eight of the hash behind the height. */
const referenceBytes = ({ hash, height }: ReferenceBlock) => ({
  blockBytes: Uint8Array.of(Number((height >> 8n) & 0xffn), Number(height & 0xffn)),
  blockHash: hexToBytes(hash.slice(16, 32))
})

/** Nodes take only this form: the fields in the order of their numbers. */
export const writeRawData = ({ act, expiration, feeLimit, memo, reference, timestamp }: RawData): Uint8Array => {
  const { blockBytes, blockHash } = referenceBytes(reference)
  return concatBytes(
    bytesField(raw.blockBytes, blockBytes),
    bytesField(raw.blockHash, blockHash),
    numberField(raw.expiration, BigInt(expiration)),
    bytesField(raw.memo, memo),
    writeAct(act),
    numberField(raw.timestamp, BigInt(timestamp)),
    numberField(raw.feeLimit, feeLimit)
  )
}

/** 64 hex digits. */
export const transactionIdOf = (rawData: Uint8Array): string => hexDigits(sha256(rawData))

/** When a transaction can be executed, on which chain, and what else only its bytes tell. */
export interface TransactionLifetime {
  /** Milliseconds of chain time. */
  readonly expiration: number
  /** The low 16 bits of the named block's height. */
  readonly referenceBits: number
  /** Milliseconds, whatever its signer has written. */
  readonly timestamp: number
}

/** Undefined for bytes that are not a valid message. */
export const lifetimeIn = (rawData: Uint8Array): TransactionLifetime | undefined => {
  const fields = protobufFields(rawData)
  if (fields === undefined) return undefined
  const [high = 0, low = 0] = bytesIn(fields, raw.blockBytes)
  return {
    expiration: Number(intField(fields, raw.expiration)),
    referenceBits: high * 256 + low,
    timestamp: Number(intField(fields, raw.timestamp))
  }
}
