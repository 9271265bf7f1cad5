/**
 * An answer that stays the same, prepared once: its bytes, plain and compressed, each with a strong ETag, and the 304
 * for clients that have it. Not for answers that depend on the request beyond its accepted encodings.
 */
import { HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"

/** Bytes in one encoding, and the answer for clients that have them already. */
interface Variant {
  readonly etag: string
  readonly whole: HttpServerResponse.HttpServerResponse
  readonly unchanged: HttpServerResponse.HttpServerResponse
}

/** A request's headers, in lower case. `accept-encoding` and `if-none-match` decide which answer is sent. */
export type AskedHeaders = Readonly<Record<string, string | undefined>>

export type PreparedAnswer = (headers: AskedHeaders) => HttpServerResponse.HttpServerResponse

/** Bytes. A smaller answer takes as many packets when it is compressed; a larger one would hold up other requests. */
const ZIPPED = { from: 1_024, to: 1_048_576 }

/** Clients keep the bytes, and ask whether they still hold. */
const KEPT = { "cache-control": "no-cache" }

/** `gzip;q=0` refuses it (RFC 9110, 12.5.3). Linear in the header, which anybody sends. */
const takesGzip = (header: string): boolean =>
  header.toLowerCase().split(",").some((each) => {
    const [coding, ...parameters] = each.split(";").map((part) => part.trim())
    return coding === "gzip" && !parameters.some((parameter) => /^q=0(?:\.0*)?$/u.test(parameter))
  })

const varying = ({ vary }: Readonly<Record<string, string>>): string =>
  vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`

/** True when a client's If-None-Match names the answer. A weak name counts as the strong one (RFC 9110, 13.1.2). */
const names = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((each) => each.trim().replace(/^W\//u, "") === etag)

/**
 * Prepares an answer whose body is text or bytes. Its `cache-control` becomes `no-cache` unless `caching` says
 * otherwise.
 */
export const prepare = (
  answer: HttpServerResponse.HttpServerResponse,
  caching: Readonly<Record<string, string>> = KEPT
): PreparedAnswer => {
  const { body } = answer
  if (body._tag !== "Uint8Array") return () => answer
  // In memory of its own: bytes of a pool may be part of a larger piece.
  const bytes = Uint8Array.from(body.body)
  const digest = createHash("sha256").update(bytes).digest("base64url")
  const { "content-length": _length, "content-type": _type, ...others } = answer.headers
  const common = { ...others, ...caching, vary: varying(answer.headers) }
  const variant = (sent: Uint8Array, etag: string, encoding: Readonly<Record<string, string>>): Variant => ({
    etag,
    whole: HttpServerResponse.uint8Array(sent, {
      status: answer.status,
      contentType: body.contentType,
      headers: { ...common, ...encoding, etag }
    }),
    unchanged: HttpServerResponse.empty({ status: 304, headers: { ...common, etag } })
  })
  const plain = variant(bytes, `"${digest}"`, {})
  let gzipped: Variant | undefined
  /** Another representation has another strong ETag. Compressed when the first client takes it. */
  const compressed = () =>
    gzipped ??= variant(gzipSync(bytes, { level: 9 }), `"${digest}-gzip"`, { "content-encoding": "gzip" })
  return (headers) => {
    const zips = bytes.length >= ZIPPED.from && bytes.length <= ZIPPED.to
    const zipped = zips && takesGzip(headers["accept-encoding"] ?? "")
    const { etag, unchanged, whole } = zipped ? compressed() : plain
    const known = headers["if-none-match"]
    return known !== undefined && names(known, etag) ? unchanged : whole
  }
}
