/**
 * Where a listing continues: the last row that was shown, as an opaque text that the client sends back (HISTORY-1).
 *
 * Guarantee: a text that was changed, cut, or made for another listing (key or filter) is refused. It is a checksum,
 * not a signature: a client that forges one only names a position in its own listing, and learns nothing.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Result from "effect/Result"
import { hexDigits } from "../../encoding/HexDigits.ts"

/** A row's position: listings are sorted by time, newest first, and by id within a millisecond. */
export interface Position {
  /** Milliseconds. */
  readonly at: number
  readonly id: string
}

const VERSION = "1"
const CHECKSUM_DIGITS = 16

const checksum = (scope: string, text: string): string =>
  hexDigits(sha256(utf8ToBytes(JSON.stringify(["causeway continuation", scope, text])))).slice(0, CHECKSUM_DIGITS)

/** The continuation after a row; `scope` identifies the listing: its owner and its filter. */
export const makeContinuation = (scope: string, { at, id }: Position): string => {
  const text = `${VERSION}.${at}.${id}`
  return Base64Url.encode(utf8ToBytes(`${checksum(scope, text)}.${text}`))
}

const SHAPE = /^[0-9a-f]{16}\.1\.(0|[1-9][0-9]{0,14})\.(.{1,200})$/su

/** Undefined for a text that `makeContinuation` did not make for exactly this listing. */
export const readContinuation = (scope: string, continuation: string): Position | undefined => {
  const decoded = Result.getOrUndefined(Base64Url.decodeString(continuation))
  const [, at, id] = SHAPE.exec(decoded ?? "") ?? []
  if (at === undefined || id === undefined) return undefined
  const position = { at: Number(at), id }
  // Encoded again and compared as a whole, so that a position has only one spelling.
  return makeContinuation(scope, position) === continuation ? position : undefined
}
