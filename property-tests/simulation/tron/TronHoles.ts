/** Holes that are planted into the treasury of Tron: each is a mistake of its rules. The simulation must find them. */
import { Clock, Effect } from "effect"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import { readStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { holeIn } from "../holes/Hole.ts"
import type { Planted } from "../holes/Hole.ts"

const outcomes = (change: (outcome: PaymentOutcome) => PaymentOutcome) =>
  holeIn(Treasury, (real) => ({
    outcome: (chain, variants, by) => Effect.map(real.outcome(chain, variants, by), change)
  }))

export const tronHoles = {
  /** A payment that no node shows counts as dead before it has expired, and is signed again. */
  deadUnproven: {
    hole: outcomes((outcome) => outcome._tag === "Unseen" ? { _tag: "Expired" } : outcome),
    faults: "last-moment",
    seed: 1,
    says: "of its payments can be executed on tron"
  },
  /** A payment is dead when it has expired by our clock, which blocks that come late know nothing of. */
  deadByClock: {
    hole: holeIn(Treasury, (real) => ({
      outcome: Effect.fnUntraced(function*(chain, variants, by) {
        const outcome = yield* real.outcome(chain, variants, by)
        const { expiration } = readStored((variants.at(-1) ?? variants[0]).raw) ?? {}
        return outcome._tag === "Unseen" && expiration !== undefined && (yield* Clock.currentTimeMillis) >= expiration
          ? { _tag: "Expired" }
          : outcome
      })
    })),
    faults: "last-moment,chain-halts,chain-clock-apart",
    seed: 6,
    says: "of its payments can be executed on tron"
  },
  /** A payment in any block counts as final, whatever the solidified part has. */
  finalAtOnce: {
    hole: outcomes((outcome) => outcome._tag === "Included" ? { ...outcome, final: true } : outcome),
    faults: "reorg-deepest",
    seed: 3,
    says: "deposits count as answered"
  }
} as const satisfies Record<string, Planted>
