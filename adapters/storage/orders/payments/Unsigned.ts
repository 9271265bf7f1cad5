/**
 * A signature that was not given is an answer: the transaction that waited for it is taken back, and the store works.
 */
import { Effect } from "effect"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"

export const unsigned = <A, E, R>(signing: Effect.Effect<A, E | SignerUnavailable, R>) =>
  Effect.catchIf(signing, (error) => error instanceof SignerUnavailable, Effect.succeed)
