/** The scalar values of a quote request on the wire (WIRE-1, REQUEST-5). Amounts are never JavaScript numbers. */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const MAX_UINT256 = 2n ** 256n - 1n

/** Digits only, at most 2^256 − 1: an amount in the smallest unit of its currency. */
export const WireUint = Schema.String.check(
  Schema.isPattern(/^[0-9]{1,78}$/u, { expected: "digits only: an amount in smallest units" })
).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_UINT256 })),
    SchemaTransformation.bigintFromString
  )
)

/** Seconds, gas units, hops: a positive 32-bit number. */
export const PositiveNumber = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 4_294_967_295 }))

/** Number-like in the contract's sense: the number, or its decimal text. */
export const NumberLike = Schema.Union([
  PositiveNumber,
  Schema.String.check(Schema.isPattern(/^[0-9]{1,10}$/u, { expected: "digits only, at most 10" })).pipe(
    Schema.decodeTo(PositiveNumber, SchemaTransformation.numberFromString)
  )
])

/** A text of at most 200 characters, so that a body stays small. */
export const Text = Schema.String.check(Schema.isMaxLength(200))

/** Basis points, 0 to 10000. */
export const Percentage = Schema.String.check(
  Schema.isPattern(/^([0-9]{1,4}|10000)$/u, { expected: "digits only: basis points up to 10000" })
)

/** Bytes as hex, with or without 0x. */
export const HexBytes = Schema.String.check(
  Schema.isPattern(/^(?:0x)?(?:[0-9a-fA-F]{2})+$/u, { expected: "pairs of hex digits" }),
  Schema.isMaxLength(200)
)
