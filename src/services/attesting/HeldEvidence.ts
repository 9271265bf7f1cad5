/**
 * Limits the evidence of claims that are not judged yet, in bytes. A claim may name many transactions, each may show
 * megabytes, and the first one's evidence is held until the last one is read.
 *
 * Claims of usual size are always served. Large claims share a limit; when it is full, further large ones are told to
 * come back later. So a caller who fills it blocks only other large claims, and only while its own claims are read.
 */
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { ChainSlug } from "../../domain/chain/ChainId.ts"
import { evidenceBytes } from "../../domain/evidence/EvidenceBytes.ts"
import type { Observation } from "../../domain/evidence/TransactionEvidence.ts"

const MIB = 1024 * 1024

/** Limits on the memory that evidence may take. */
export interface EvidenceBounds {
  /** Bytes that every claim may hold, regardless of the others. */
  readonly usual: number
  /** Bytes that one claim may hold at most. */
  readonly ofClaim: number
  /** Bytes that all claims may hold together when one of them holds more than usual. */
  readonly ofAll: number
}

/** The limits of a service. */
export const evidenceBounds: EvidenceBounds = { usual: MIB / 8, ofClaim: 64 * MIB, ofAll: 256 * MIB }

/** Holds what a chain showed until the claim is judged, or fails when that is too much. */
export type Keep = (
  chain: ChainSlug,
  seen: ReadonlyArray<Observation>
) => Effect.Effect<ReadonlyArray<Observation>, ChainUnavailable>

const unavailable = (chain: ChainSlug, kind: "busy" | "too-large") =>
  new ChainUnavailable({ chain, operation: "observation", kind })

/** Shared by all claims of a process. */
export const makeHeldEvidence = ({ ofAll, ofClaim, usual }: EvidenceBounds = evidenceBounds) => {
  let held = 0
  return {
    /** Whatever `use` keeps is held until `use` ends, whether it succeeds or not. */
    hold: <A, E, R>(use: (keep: Keep) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        let own = 0
        const keep: Keep = (chain, seen) =>
          Effect.suspend(() => {
            const bytes = evidenceBytes(seen)
            own += bytes
            held += bytes
            if (own > ofClaim) return Effect.fail(unavailable(chain, "too-large"))
            return own > usual && held > ofAll ? Effect.fail(unavailable(chain, "busy")) : Effect.succeed(seen)
          })
        return Effect.ensuring(
          use(keep),
          Effect.sync(() => {
            held -= own
          })
        )
      })
  }
}
