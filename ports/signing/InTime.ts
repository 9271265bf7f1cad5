/**
 * The time limit for every signature. While a payment is signed, a store transaction is open, and others wait for the
 * account's row (on SQLite for the whole store). While an order is signed, a client waits for its quote.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { SignerUnavailable } from "./SignerUnavailable.ts"

const SIGN_WITHIN = "5 seconds"

/** Fails with the fault `unreachable` when the signer does not answer within 5 seconds. */
export const inTime = <A, E>(signing: Effect.Effect<A, E>): Effect.Effect<A, E | SignerUnavailable> =>
  Exit.isExit(signing)
    // A key of this process has signed already.
    ? signing
    : Effect.timeoutOrElse(signing, {
      duration: SIGN_WITHIN,
      orElse: () => Effect.fail(new SignerUnavailable({ fault: "unreachable" }))
    })
