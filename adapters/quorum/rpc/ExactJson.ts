/** JSON with exact whole numbers, and schemas for them: 64-bit chains write amounts as JSON numbers. */
import { Schema, SchemaTransformation } from "effect"

const isWhole = /^-?\d+$/

/** Whole numbers beyond 2^53 become bigint, from the digits as sent. Throws for text that is not JSON. */
export const parseExactJson = (text: string): unknown =>
  JSON.parse(text, (_key: string, value: unknown, context?: { readonly source?: string }): unknown => {
    const source = context?.source
    return typeof value === "number" && !Number.isSafeInteger(value) && source !== undefined && isWhole.test(source)
      ? BigInt(source)
      : value
  })

/** Like `parseExactJson`, but undefined for text that is not JSON. */
export const exactJsonOrNothing = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/** A height, an index, a time. JSON numbers always hold them exactly. */
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

export const InU64 = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 64n) - 1n }))

/** A 64-bit number, as the parser returns it. */
export const U64 = Schema.Union([Schema.Int, Schema.BigInt]).pipe(
  Schema.decodeTo(
    InU64,
    SchemaTransformation.transform({
      decode: (value: number | bigint) => BigInt(value),
      encode: (value: bigint): number | bigint => value
    })
  )
)
