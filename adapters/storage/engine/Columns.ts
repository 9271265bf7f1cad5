/**
 * Schemas of the column types in the common SQL subset (see `Migrations.ts`). Each decodes what either engine returns
 * (an int8 is a number from SQLite and a bigint from PostgreSQL) and encodes what both accept. Use them in the row
 * schemas of repositories. A row that does not decode is a defect of the store, not a request error.
 */
import { Schema, SchemaGetter } from "effect"

const AnyInteger = Schema.Union([Schema.BigInt, Schema.Int])

/** `BIGINT` as a number. Decoding fails beyond 2^53 instead of rounding. */
export const SqlInt = AnyInteger.pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((value) => Number(value)),
    encode: SchemaGetter.passthroughSupertype()
  })
)

/**
 * `BIGINT` as a bigint: micro-USDC in ledger rows. On SQLite a value beyond 2^53 fails the statement unless it runs
 * with `SqlClient.SafeIntegers`.
 */
export const SqlBigInt = AnyInteger.pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((value) => BigInt(value)),
    encode: SchemaGetter.passthroughSupertype()
  })
)

/** `COUNT(*)` and other row counts. */
export const SqlCount = SqlInt.check(Schema.isGreaterThanOrEqualTo(0))

/** `BIGINT`: milliseconds since the Unix epoch. */
export const Millis = SqlInt.check(Schema.isGreaterThanOrEqualTo(0))

/** `BIGINT` of 0 or 1. The engines' own booleans differ. */
export const SqlBool = AnyInteger.check(
  Schema.makeFilter((value) => Number(value) === 0 || Number(value) === 1 ? undefined : "expected 0 or 1")
).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((value) => Number(value) === 1),
    encode: SchemaGetter.transform((value) => value ? 1 : 0)
  })
)

const Uint256 = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))

/**
 * `TEXT`: an unsigned integer below 2^256 in decimals, without sign or leading zeros, so that equal numbers are equal
 * texts.
 */
export const UintText = Schema.String.check(Schema.isPattern(/^(0|[1-9][0-9]{0,77})$/)).pipe(
  Schema.decodeTo(Uint256, {
    decode: SchemaGetter.transform((text) => BigInt(text)),
    encode: SchemaGetter.transform((value) => value.toString())
  })
)

/** `TEXT`: JSON of the schema's wire form. */
export const JsonText = <S extends Schema.Constraint>(schema: S) => Schema.fromJsonString(Schema.toCodecJson(schema))
