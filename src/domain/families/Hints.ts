/**
 * Hints of a request about where to look for transactions, by family (EVIDENCE-5), never about their contents. A
 * transaction found by a hint is one endpoint's answer and counts in the quorum like any other. A wrong hint finds
 * nothing.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Address } from "../chain/Address.ts"

const User = Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)).pipe(
  Schema.decodeTo(
    Address,
    SchemaTransformation.transform({ decode: (text) => text.toLowerCase(), encode: (text: string) => text })
  )
)

/** For exchange A: an account whose ledger has the transfer, and the transfer's time in milliseconds. */
export const TransferHint = Schema.Struct({
  user: User,
  timestamp: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
})
export type TransferHint = typeof TransferHint.Type

/** The hint of a family that has no hints in this version. Its contents are ignored, since a hint proves nothing. */
const unread = Schema.optionalKey(Schema.Json)

export const Hints = Schema.Struct({
  "exchangea-vm": Schema.optionalKey(TransferHint),
  "ethereum-vm": unread,
  "solana-vm": unread,
  "bitcoin-vm": unread,
  "tron-vm": unread,
  "exchangeb-vm": unread
})
export type Hints = typeof Hints.Type
