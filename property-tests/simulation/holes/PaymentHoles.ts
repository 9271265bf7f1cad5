/** Mistakes in how payments are made, sent and followed. */
import { Effect } from "effect"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { depository } from "../Terms.ts"
import { holeIn } from "./Hole.ts"
import type { Planted } from "./Hole.ts"

export const paymentHoles = {
  /** A payment is sent when it is signed, before it is stored. A kill in between forgets it. */
  sentBeforeStored: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) =>
        Effect.map(real.prepare(payment), (prepared) => ({
          ...prepared,
          sign: (sequence, others) =>
            Effect.tap(
              prepared.sign(sequence, others),
              (signed) => Effect.ignore(real.broadcast(payment.chain, signed))
            )
        }))
    })),
    faults: "none",
    seed: 1,
    says: "before it is stored"
  },
  /** A payment that no node shows counts as one that can never be executed, and is signed again. */
  givenUp: {
    hole: holeIn(Treasury, (real) => ({
      outcome: (chain, variants, by) =>
        Effect.map(
          real.outcome(chain, variants, by),
          (outcome) => outcome._tag === "Unseen" ? { _tag: "Superseded" } : outcome
        )
    })),
    faults: "pool-drops",
    seed: 1,
    says: "is open"
  },
  /** A payment is sent once. A node that forgets it makes it wait for ever. */
  sentOnce: {
    hole: holeIn(Treasury, (real) => {
      const sent = new Set<string>()
      return {
        broadcast: (chain, signed) =>
          Effect.suspend(() => {
            if (sent.has(signed.transactionId)) return Effect.succeed("accepted" as const)
            return Effect.tap(real.broadcast(chain, signed), () => Effect.sync(() => sent.add(signed.transactionId)))
          })
      }
    }),
    faults: "pool-drops",
    seed: 1,
    says: "is on its way"
  },
  /** That a payment is in a block is not stored. */
  outcomesForgotten: {
    hole: holeIn(Payments, () => ({ recordOutcome: () => Effect.succeed(true) })),
    faults: "none",
    seed: 1,
    says: "is on its way"
  },
  /** Payments are signed with a sequence that leaves a gap. */
  sequenceGap: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) =>
        Effect.map(real.prepare(payment), (prepared) => ({
          ...prepared,
          sign: (sequence, others) => prepared.sign(sequence + 1n, others)
        }))
    })),
    faults: "none",
    seed: 1,
    says: "is on its way"
  },
  /** Refunds are a tenth smaller than what is stored. */
  refundsShort: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) =>
        real.prepare(payment._tag === "Refund" ? { ...payment, amount: payment.amount * 9n / 10n } : payment)
    })),
    faults: "none",
    seed: 1,
    says: "booked as"
  },
  /** Refunds go elsewhere than the books say. */
  refundsAstray: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) => real.prepare(payment._tag === "Refund" ? { ...payment, recipient: depository } : payment)
    })),
    faults: "none",
    seed: 1,
    says: "has 2 deposits and 3 payments"
  }
} as const satisfies Record<string, Planted>
