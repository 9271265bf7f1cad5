/**
 * A signed transaction from its bytes, as `broadcasthex` takes it, in the JSON of the other interfaces. Whoever gets it
 * encodes it again and compares: what is not read here does not come back.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import { bytesField, intField, protobufFields } from "../../../../../src/domain/families/tron/evidence/Protobuf.ts"
import { readTronTransaction } from "../../../../../src/domain/families/tron/evidence/TronTransaction.ts"
import type { TronAct } from "../../../../../src/domain/families/tron/evidence/TronTransaction.ts"
import { readSigned } from "../../../../../src/domain/families/tron/transaction/SignedTransaction.ts"
import { nodeAddress } from "./Account.ts"

/** Numbers from Tron's protocol files. */
const raw = { blockBytes: 1, blockHash: 4, expiration: 8, memo: 10, timestamp: 14, feeLimit: 18 } as const

const valueOf = (act: Exclude<TronAct, { readonly _tag: "Other" }>) =>
  act._tag === "Transfer"
    ? {
      type: "TransferContract",
      value: { owner_address: nodeAddress(act.owner), to_address: nodeAddress(act.to), amount: Number(act.amount) }
    }
    : {
      type: "TriggerSmartContract",
      value: {
        owner_address: nodeAddress(act.owner),
        contract_address: nodeAddress(act.contract),
        ...(act.input.length === 2 ? {} : { data: act.input.slice(2) }),
        ...(act.value === 0n ? {} : { call_value: Number(act.value) })
      }
    }

/** Undefined for anything else than a signed transfer or call. */
export const readHex = (digits: string): object | undefined => {
  const signed = /^(?:[0-9a-f]{2})+$/iu.test(digits) ? readSigned(hexToBytes(digits)) : undefined
  const fields = signed === undefined ? undefined : protobufFields(signed.rawData)
  const transaction = signed === undefined ? undefined : readTronTransaction(signed.rawData)
  if (signed === undefined || fields === undefined || transaction === undefined || transaction.act._tag === "Other") {
    return undefined
  }
  const hexOf = (number: number) => Buffer.from(bytesField(fields, number)).toString("hex")
  const numberOf = (number: number) => Number(intField(fields, number))
  const { type, value } = valueOf(transaction.act)
  return {
    txID: transaction.id,
    raw_data_hex: Buffer.from(signed.rawData).toString("hex"),
    signature: [Buffer.from(signed.signature).toString("hex")],
    raw_data: {
      contract: [{ type, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } }],
      ref_block_bytes: hexOf(raw.blockBytes),
      ref_block_hash: hexOf(raw.blockHash),
      expiration: numberOf(raw.expiration),
      timestamp: numberOf(raw.timestamp),
      ...(numberOf(raw.feeLimit) === 0 ? {} : { fee_limit: numberOf(raw.feeLimit) }),
      ...(hexOf(raw.memo) === "" ? {} : { data: hexOf(raw.memo) })
    }
  }
}
