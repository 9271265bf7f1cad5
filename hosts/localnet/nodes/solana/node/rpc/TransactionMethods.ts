/** Methods that read executed transactions. */
import { Schema } from "effect"
import type { Chain } from "../Chain.ts"
import type { TransactionRecord } from "../Record.ts"
import type { Methods } from "./Methods.ts"
import {
  AddressText,
  Commitments,
  contextFields,
  contextOf,
  decode,
  inContext,
  optional,
  SignatureText,
  VersionNumber
} from "./Parameters.ts"
import { assertKnown, invalidParams } from "./RpcError.ts"

const Reading = Schema.Tuple([
  SignatureText,
  optional(Schema.Struct({
    commitment: Schema.optionalKey(Commitments),
    encoding: Schema.optionalKey(Schema.Literal("base64")),
    maxSupportedTransactionVersion: Schema.optionalKey(VersionNumber)
  }))
])

const getTransaction = (chain: Chain, params: unknown) => {
  const [signature, reading] = decode(Reading, params)
  if (reading?.commitment === "processed") throw invalidParams("Method does not support commitment below `confirmed`")
  const record = chain.ledger.transaction(signature)
  if (record === undefined || record.slot > chain.slotAt(reading?.commitment ?? "finalized")) return null
  if (reading?.encoding !== "base64") throw invalidParams("this chain gives transactions as base64 only")
  const versioned = reading.maxSupportedTransactionVersion !== undefined
  assertKnown(record.version, reading.maxSupportedTransactionVersion)
  return {
    slot: record.slot,
    blockTime: record.blockTime,
    transaction: [record.wire, "base64"],
    meta: { ...record.meta, status: statusOf(record), rewards: [] },
    ...(versioned ? { version: record.version } : {})
  }
}

const statusOf = ({ meta }: TransactionRecord) => meta.err === null ? { Ok: null } : { Err: meta.err }

const OfAddress = Schema.Tuple([
  AddressText,
  optional(Schema.Struct({
    ...contextFields,
    before: Schema.optionalKey(SignatureText),
    until: Schema.optionalKey(SignatureText),
    limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
  }))
])

const getSignaturesForAddress = (chain: Chain, params: unknown) => {
  const [key, reading] = decode(OfAddress, params)
  const { commitment, slot } = contextOf(chain, reading)
  if (commitment === "processed") throw invalidParams("Method does not support commitment below `confirmed`")
  const all = chain.ledger.transactionsOf(key)
  const after = reading?.before === undefined ? 0 : all.findIndex(({ signature }) => signature === reading.before) + 1
  // The `before` is unknown: a node finds nothing below it.
  if (reading?.before !== undefined && after === 0) return []
  const end = reading?.until === undefined ? -1 : all.findIndex(({ signature }) => signature === reading.until)
  return all.slice(after, end < 0 ? undefined : end)
    .filter((record) => record.slot <= slot)
    .slice(0, reading?.limit ?? 1000)
    .map((record) => ({
      signature: record.signature,
      slot: record.slot,
      err: record.meta.err,
      memo: record.memo,
      blockTime: record.blockTime,
      confirmationStatus: chain.commitmentOf(record.slot)
    }))
}

/** A signature in a node's form. Null when the node does not know it. */
const signatureStatus = (chain: Chain, signature: string) => {
  const record = chain.ledger.transaction(signature)
  if (record === undefined) return null
  const confirmationStatus = chain.commitmentOf(record.slot)
  return {
    slot: record.slot,
    confirmations: confirmationStatus === "finalized"
      ? null
      : chain.ledger.blocksBetween(record.slot, chain.ledger.last.slot).length,
    err: record.meta.err,
    status: statusOf(record),
    confirmationStatus
  }
}

const Statuses = Schema.Tuple([
  Schema.Array(SignatureText).check(Schema.isMaxLength(256)),
  optional(Schema.Struct({ searchTransactionHistory: Schema.optionalKey(Schema.Boolean) }))
])

export const transactionMethods = (chain: Chain): Methods => ({
  getTransaction: (params) => getTransaction(chain, params),
  getSignaturesForAddress: (params) => getSignaturesForAddress(chain, params),
  getSignatureStatuses: (params) => {
    const [signatures] = decode(Statuses, params)
    return inContext(chain.slotAt("processed"), signatures.map((signature) => signatureStatus(chain, signature)))
  }
})
