/**
 * The two names of a chain: the number that the transfer API uses, and the slug that the settlement protocol hashes
 * (PROTO-5, WIRE-11). Neither is derived from the other: the chain configuration pairs them.
 */
import * as Schema from "effect/Schema"

/** The transfer API's number of a chain: a positive safe integer. */
export const ChainId = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })).pipe(
  Schema.brand("ChainId")
)

export type ChainId = typeof ChainId.Type

/** The protocol's id of a chain: lower-case letters, digits and dashes, such as "ethereum". */
export const ChainSlug = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9-]*$/),
  Schema.isMaxLength(64)
).pipe(Schema.brand("ChainSlug"))

export type ChainSlug = typeof ChainSlug.Type
