/**
 * For receivers: whether a webhook is recent and came from the service that shares a secret with them (WEBHOOK-2).
 *
 * SECURITY: the body must be the text as received; parsing and re-serializing may change it. Signatures are compared in
 * constant time. A genuine webhook may arrive more than once: remember its `id`, or use `sequence`.
 */
import { PREVIOUS_SIGNATURE_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, webhookSignature } from "./WebhookSignature.ts"

/** The type of Node's `request.headers`, and of `Object.fromEntries(request.headers)` for a fetch Request. */
export type ReceivedHeaders = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** What was received, and what it is checked against. */
export interface ReceivedWebhook {
  /** The body's text, byte for byte. */
  readonly body: string
  /** Their names in lower case, as Node and fetch give them. */
  readonly headers: ReceivedHeaders
  /** Every secret that may have signed: one, or two during a rotation. Empty ones are ignored. */
  readonly secrets: ReadonlyArray<string>
  /** Milliseconds: `Date.now()`. */
  readonly now: number
  /** How old, or ahead of our clock, a webhook may be; five minutes by default. Milliseconds. */
  readonly tolerance?: number
}

/** Why a webhook must not be believed. */
export type WebhookRefusal = "missing-headers" | "malformed-headers" | "outside-tolerance" | "wrong-signature"

/** Check `ok`: the verdict object itself is always truthy. */
export type WebhookVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: WebhookRefusal }

const FIVE_MINUTES = 300_000

/** True when both are equal; takes the same time for all texts of one length. */
const isSame = (a: string, b: string): boolean => {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index % Math.max(b.length, 1))
  }
  return difference === 0
}

const no = (reason: WebhookRefusal): WebhookVerdict => ({ ok: false, reason })

/** Total: every input has a verdict. `ok` does not mean that this webhook was not seen before. */
export const verifyWebhook = (
  { body, headers, now, secrets, tolerance = FIVE_MINUTES }: ReceivedWebhook
): WebhookVerdict => {
  const timestamp = headers[TIMESTAMP_HEADER]
  const signature = headers[SIGNATURE_HEADER]
  const previous = headers[PREVIOUS_SIGNATURE_HEADER]
  if (timestamp === undefined || signature === undefined) return no("missing-headers")
  const signatures = [signature, previous].filter((each) => each !== undefined)
  // A repeated header is an array or joined by a comma; neither is a signature.
  if (typeof timestamp !== "string" || !/^\d{1,15}$/u.test(timestamp)) return no("malformed-headers")
  const texts = signatures.filter((each) => typeof each === "string").filter((each) => /^[0-9a-f]{64}$/iu.test(each))
  if (texts.length !== signatures.length) return no("malformed-headers")
  // The signature is checked first, so that a forged webhook reveals nothing about our clock.
  const expected = secrets.filter((secret) => secret !== "").map((secret) => webhookSignature(secret, timestamp, body))
  let matches = 0
  for (const wanted of expected) for (const text of texts) matches += isSame(wanted, text.toLowerCase()) ? 1 : 0
  if (matches === 0) return no("wrong-signature")
  return Math.abs(now - Number(timestamp)) <= tolerance ? { ok: true } : no("outside-tolerance")
}
