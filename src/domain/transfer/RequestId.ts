/**
 * The id of a transfer for its whole life: 0x and 64 hex digits, milliseconds first, then randomness (WIRE-9), so
 * that ids sort by time. It never goes on chain: deposits carry the order id.
 */
import * as Brand from "effect/Brand"
import * as Schema from "effect/Schema"
import { hexDigits } from "../encoding/HexDigits.ts"

/** The id of a transfer in the API: 0x and 64 hex digits, milliseconds first. */
export const RequestId = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-f]{64}$/u, { expected: "the id of a request: 0x and 64 hex digits in lower case" })
).pipe(Schema.brand("RequestId"))
export type RequestId = typeof RequestId.Type

/** For what is one by how it is made. */
const branded = Brand.nominal<RequestId>()

/** `random` must hold at least 24 bytes of secure randomness; the time takes the first eight bytes of the id. */
export const makeRequestId = (nowMs: number, random: Uint8Array): RequestId =>
  branded(`0x${nowMs.toString(16).padStart(16, "0")}${hexDigits(random.subarray(0, 24))}`)
