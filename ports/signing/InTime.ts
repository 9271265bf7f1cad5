/**
 * How long anything waits for a signer. A store transaction is open while a payment is signed, and others wait for the
 * account's row, on SQLite for the store; a client waits for a quote.
 */
import * as Effect from "effect/Effect"
import { SignerUnavailable } from "./SignerUnavailable.ts"

const SIGN_WITHIN = "5 seconds"

/** A signer that does not answer in time is one that is unreachable. */
export const inTime = <A, E>(signing: Effect.Effect<A, E>): Effect.Effect<A, E | SignerUnavailable> =>
  Effect.timeoutOrElse(signing, {
    duration: SIGN_WITHIN,
    orElse: () => Effect.fail(new SignerUnavailable({ fault: "unreachable" }))
  })
