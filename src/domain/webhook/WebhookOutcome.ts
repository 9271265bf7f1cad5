/**
 * What came of one try to tell an event: the status that was answered, or why there is none. Never anything of the
 * answer's body.
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
  /** No connection, or one that broke off. */
  "unreachable",
  /** No TLS there, or a certificate that is not the name's. */
  "tls",
  /** What to send could not be made. */
  "internal"
])
export type SendFailure = typeof SendFailure.Type

/** A status, or why there is none. */
export const SendOutcome = Schema.TaggedUnion({
  Answered: { status: Schema.Int },
  Failed: { failure: SendFailure }
})
export type SendOutcome = typeof SendOutcome.Type

/** Taken is what was answered by 2xx. A redirect is not followed, and not taken. */
export const isTaken = (outcome: SendOutcome): boolean =>
  outcome._tag === "Answered" && outcome.status >= 200 && outcome.status < 300
