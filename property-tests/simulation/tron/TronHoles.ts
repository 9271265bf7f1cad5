/** Holes that are planted into the ports of Tron: each is a mistake of its rules. The simulation must find them. */
import { Clock, Effect, Layer } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import { readStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { misread } from "../holes/DepositHoles.ts"
import { holeIn } from "../holes/Hole.ts"
import type { Hole, Planted } from "../holes/Hole.ts"
import { chainIds, tronOdd } from "../Terms.ts"
import { readPayment, resigned } from "./Resigned.ts"
import { KEPT_BPS, USUAL_PRICES } from "./Terms.ts"

const outcomes = (change: (outcome: PaymentOutcome) => PaymentOutcome) =>
  holeIn(Treasury, (real) => ({
    outcome: (chain, variants, by) => Effect.map(real.outcome(chain, variants, by), change)
  }))

/** Less than any call takes, sun. */
const SOME_SUN = 1_000n

/** The wrapped treasury reads blocks, too. */
const forkedReference: Hole = Layer.effect(
  Treasury,
  Effect.gen(function*() {
    const [real, watcher] = [yield* Treasury, yield* DepositWatcher]
    return Treasury.of({
      ...real,
      prepare: Effect.fnUntraced(function*(payment) {
        const prepared = yield* real.prepare(payment)
        if (payment.chain.id !== chainIds.tron) return prepared
        const { hash, height } = yield* watcher.head(payment.chain)
        return resigned(prepared, (made) => ({ ...made, reference: { hash, height } }))
      }),
      outcome: Effect.fnUntraced(function*(chain, variants, by) {
        const outcome = yield* real.outcome(chain, variants, by)
        const payment = chain.id === chainIds.tron ? readPayment((variants.at(-1) ?? variants[0]).raw) : undefined
        if (payment === undefined || (outcome._tag !== "Unseen" && outcome._tag !== "Pending")) return outcome
        const { height, sent: { reference: { hash } } } = payment
        const { found } = yield* watcher.finality(chain, { height, hash: "" })
        return found === undefined || found.slice(16, 32) === hash ? outcome : { _tag: "Expired" }
      })
    })
  })
)

export const tronHoles = {
  /** A call that succeeded counts as paid, though the token returned false and moved nothing. */
  falseAsPaid: {
    hole: outcomes((outcome) => outcome._tag === "Included" ? { ...outcome, succeeded: true } : outcome),
    faults: "token-hollow",
    seed: 8,
    says: "on no chain"
  },
  /** The deposit of a token that keeps a part counts with what was sent, not with what has arrived. */
  countsWhole: {
    hole: misread((deposit) =>
      deposit.currency === tronOdd
        ? { ...deposit, amount: deposit.amount * 10_000n / (10_000n - KEPT_BPS) }
        : deposit
    ),
    faults: "none",
    seed: 1,
    says: ", received"
  },
  /** What a payment costs leaves out the fee for its memo. */
  memoForgotten: {
    hole: holeIn(Gas, (real) => ({
      ofPayment: (payment) =>
        Effect.map(
          real.ofPayment(payment),
          (cost) =>
            payment.chain.id === chainIds.tron && payment._tag !== "Sweep" && payment.currency.isNative
              ? cost - USUAL_PRICES.memo
              : cost
        )
    })),
    faults: "none",
    seed: 2,
    says: "for a payment on tron that cost"
  },
  /** `fee_limit` leaves out the energy that the call takes. */
  energyForgotten: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) =>
        Effect.map(
          real.prepare(payment),
          (prepared) =>
            payment.chain.id === chainIds.tron
              ? resigned(prepared, (made) => ({ ...made, feeLimit: made.feeLimit === 0n ? 0n : SOME_SUN }))
              : prepared
        )
    })),
    faults: "none",
    seed: 1,
    says: "runs out of energy on tron"
  },
  /** A payment names the newest block, and counts as dead when a fork has replaced it: the fork can come back. */
  forkedReference: { hole: forkedReference, faults: "reorg", seed: 1, says: "of its payments can be executed on tron" },
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
