/** Signing inside of a transaction: within a time, and as an answer where it fails. */
import { Effect } from "effect"
import { SignerUnavailable } from "../../../../ports/signing/SignerUnavailable.ts"

/** A transaction is open while a payment is signed, and others wait for the account's row, on SQLite for the store. */
const SIGN_WITHIN = "5 seconds"

export const inTime = <A>(signing: Effect.Effect<A, SignerUnavailable>) =>
  Effect.timeoutOrElse(signing, {
    duration: SIGN_WITHIN,
    orElse: () => Effect.fail(new SignerUnavailable({ fault: "unreachable" }))
  })

/** An answer, by now: the transaction that it came out of is taken back, and the store has not failed. */
export const unsigned = <A, E, R>(signing: Effect.Effect<A, E | SignerUnavailable, R>) =>
  Effect.catchIf(signing, (error) => error instanceof SignerUnavailable, Effect.succeed)
