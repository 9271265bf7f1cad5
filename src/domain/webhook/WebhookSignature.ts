/**
 * How a webhook is signed (WEBHOOK-2): hex HMAC-SHA256 of `${timestamp}.${body}`, where `timestamp` is the header's
 * milliseconds of this sending. During a rotation both secrets sign, so the receiver may know either.
 */
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { hexDigits } from "../encoding/HexDigits.ts"

/** Milliseconds at which the delivery was signed (WEBHOOK-2). */
export const TIMESTAMP_HEADER = "x-signature-timestamp"
/** The signature by the current secret, hex (WEBHOOK-2). */
export const SIGNATURE_HEADER = "x-signature-sha256"
/** The signature by the previous secret, while that is valid. */
export const PREVIOUS_SIGNATURE_HEADER = "x-signature-sha256-previous"

/** The signature of a body: HMAC-SHA256 over time and bytes, as hex. */
export const webhookSignature = (secret: string, timestamp: string, body: string): string =>
  hexDigits(hmac(sha256, utf8ToBytes(secret), utf8ToBytes(`${timestamp}.${body}`)))

/** The headers that sign a body; `secrets` has the current one first. */
export const signatureHeaders = (
  secrets: readonly [string, ...ReadonlyArray<string>],
  nowMs: number,
  body: string
): Readonly<Record<string, string>> => {
  const timestamp = String(nowMs)
  const [current, previous] = secrets
  return {
    [TIMESTAMP_HEADER]: timestamp,
    [SIGNATURE_HEADER]: webhookSignature(current, timestamp, body),
    ...(previous === undefined ? {} : { [PREVIOUS_SIGNATURE_HEADER]: webhookSignature(previous, timestamp, body) })
  }
}
