/**
 * The result of one try to deliver an event: the answered status, or why there was none. Never any part of the answer's
 * body.
 */
import * as Schema from "effect/Schema"

/** Why there was no answer. */
export const SendFailure = Schema.Literals([
  /** No answer within ten seconds. */
  "timeout",
  /** The name resolves to nothing. */
  "unknown-host",
  /** The name resolves to an address that is not public. */
  "refused-address",
  /** No connection, or one that was cut off. */
  "unreachable",
  /** No TLS, or a certificate that does not match the name. */
  "tls",
  /** The message could not be built. */
  "internal"
])
export type SendFailure = typeof SendFailure.Type

/** A status, or why there was none. */
export const SendOutcome = Schema.TaggedUnion({
  Answered: { status: Schema.Int },
  Failed: { failure: SendFailure }
})
export type SendOutcome = typeof SendOutcome.Type

/** True for an answer of 2xx. A redirect is not followed and does not count as delivered. */
export const isTaken = (outcome: SendOutcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300
