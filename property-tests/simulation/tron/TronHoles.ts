/** A hole that is planted into the treasury of Tron: a mistake of its rules. The simulation must find it. */
import { Effect } from "effect"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { holeIn } from "../holes/Hole.ts"
import type { Planted } from "../holes/Hole.ts"

export const tronHoles = {
  /** A payment that no node shows counts as dead before it has expired, and is signed again. */
  deadUnproven: {
    hole: holeIn(Treasury, (real) => ({
      outcome: (chain, variants, by) =>
        Effect.map(
          real.outcome(chain, variants, by),
          (outcome) => outcome._tag === "Unseen" ? { _tag: "Expired" } : outcome
        )
    })),
    faults: "last-moment",
    seed: 1,
    says: "of its payments can be executed on tron"
  }
} as const satisfies Record<string, Planted>
