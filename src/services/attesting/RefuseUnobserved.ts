/**
 * A chain of the configuration whose family has no observer in this process: no time mends that, so that it is a refusal, and no
 * chain that is unavailable now.
 */
import * as Effect from "effect/Effect"
import { Refusal } from "../../domain/evidence/Refusal.ts"
import type { AttestFailure } from "./Attesting.ts"

const refusalOf = (failure: AttestFailure): AttestFailure =>
  failure._tag === "ChainUnavailable" && failure.kind === "not-served" ? new Refusal({ reason: "not-observed", detail: failure.chain }) : failure

export const refuseUnobserved = <A, R>(attested: Effect.Effect<A, AttestFailure, R>): Effect.Effect<A, AttestFailure, R> =>
  Effect.mapError(attested, refusalOf)
