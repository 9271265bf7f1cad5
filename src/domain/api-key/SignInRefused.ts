/** Why a signed message changes nothing: a closed, append-only list of reasons. */
import * as Data from "effect/Data"

/** Append-only: clients tell refusals apart by these. */
export const signInReasons = [
  /** No EIP-4361 message. */
  "MALFORMED_MESSAGE",
  /** Made for another service. */
  "WRONG_DOMAIN",
  /** Made for another chain than the settlement chain. */
  "WRONG_CHAIN",
  /** No message of this service has this nonce, or it is long forgotten. */
  "UNKNOWN_NONCE",
  /** Older than five minutes. */
  "MESSAGE_EXPIRED",
  /** Has been used: a message is good once. */
  "NONCE_USED",
  /** Says something else than what this route does. */
  "WRONG_PURPOSE",
  /** Made under another API key. */
  "WRONG_KEY",
  /** Names another wallet than the one that it was made for. */
  "WRONG_WALLET",
  /** Is not the text that was made, to the byte. */
  "ALTERED_MESSAGE",
  /** Not signed by the wallet that it names. */
  "WRONG_SIGNATURE"
] as const

/** One of `signInReasons`. */
export type SignInReason = (typeof signInReasons)[number]

export class SignInRefused extends Data.TaggedError("SignInRefused")<{
  readonly reason: SignInReason
  readonly message: string
}> {}
