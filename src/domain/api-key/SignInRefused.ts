/** Why a signed message is refused: a closed, append-only list of reasons. */
import * as Data from "effect/Data"

/** Append-only: clients distinguish refusals by these. */
export const signInReasons = [
  /** Not an EIP-4361 message. */
  "MALFORMED_MESSAGE",
  /** Made for another service. */
  "WRONG_DOMAIN",
  /** Made for a chain other than the settlement chain. */
  "WRONG_CHAIN",
  /** This service made no message with this nonce, or it has been deleted since. */
  "UNKNOWN_NONCE",
  /** Older than five minutes. */
  "MESSAGE_EXPIRED",
  /** Already used. A message can be used once. */
  "NONCE_USED",
  /** Its purpose is not the one of this route. */
  "WRONG_PURPOSE",
  /** Made under another API key. */
  "WRONG_KEY",
  /** Names a wallet other than the one it was made for. */
  "WRONG_WALLET",
  /** Differs from the text that was made. They must be equal byte by byte. */
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
