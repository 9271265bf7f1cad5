/**
 * Refuses what this process can never read of a configured chain. That is permanent, so it is refused rather than
 * reported as unavailable.
 */
import * as Effect from "effect/Effect"
import type { ChainFault } from "../../../ports/chain/ChainUnavailable.ts"
import { Refusal } from "../../domain/evidence/judges/Refusal.ts"
import type { RefusalReason } from "../../domain/evidence/judges/Refusal.ts"
import type { AttestFailure } from "./AttestFailure.ts"

const reasons: ReadonlyMap<ChainFault, RefusalReason> = new Map([["not-served", "not-observed"], [
  "no-explorer",
  "no-explorer"
], ["too-large", "too-large"]])

const refusalOf = (failure: AttestFailure): AttestFailure => {
  const reason = failure._tag === "ChainUnavailable" ? reasons.get(failure.kind) : undefined
  return failure._tag === "ChainUnavailable" && reason !== undefined
    ? new Refusal({ reason, detail: failure.chain })
    : failure
}

export const refuseUnobserved = <A, R>(
  attested: Effect.Effect<A, AttestFailure, R>
): Effect.Effect<A, AttestFailure, R> => Effect.mapError(attested, refusalOf)
