/** Mistakes in what is believed of deposits. */
import { Effect } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { token } from "../Terms.ts"
import { holeIn } from "./Hole.ts"
import type { Planted } from "./Hole.ts"

/** Wraps what a watcher reads of each deposit. */
export const misread = (as: (deposit: Deposit) => Deposit) =>
  holeIn(DepositWatcher, (real) => ({
    scan: (chain, from) =>
      Effect.map(real.scan(chain, from), (found) => ({ ...found, deposits: found.deposits.map(as) })),
    look: (chain, id) => Effect.map(real.look(chain, id), (found) => found?.map(as)),
    standing: (chain, deposit, by) =>
      Effect.map(
        real.standing(chain, deposit, by),
        (standing) => standing._tag === "Gone" ? standing : { ...standing, deposits: standing.deposits.map(as) }
      )
  }))

export const depositHoles = {
  /**
   * After a reorg, the scan reads on from where it was, and final blocks are not looked at again. What moved to a block
   * below is missed.
   */
  scanReadsOn: {
    hole: holeIn(DepositWatcher, (real) => ({
      scan: (chain, from) =>
        Effect.map(real.scan(chain, from), (found) => ({
          ...found,
          deposits: found.deposits.filter(({ block }) => block.height > from.height)
        })),
      scanFinal: (_chain, _from, final) => Effect.succeed({ cursor: final, deposits: [] })
    })),
    faults: "reorg",
    seed: 1,
    says: "is not noticed"
  },
  /** Final blocks are not looked at again, so that an endpoint can hide a deposit for ever. */
  looksOnce: {
    hole: holeIn(DepositWatcher, () => ({
      scanFinal: (_chain, _from, final) => Effect.succeed({ cursor: final, deposits: [] })
    })),
    faults: "node-hides",
    seed: 3,
    says: "is not noticed"
  },
  /** A deposit of the cheaper currency counts as one of the dearer. */
  anyCurrency: {
    hole: misread((deposit) => ({ ...deposit, currency: token })),
    faults: "none",
    adversary: "wrong-currency",
    seed: 1,
    says: ", received"
  },
  /** The service keeps a tenth of each deposit. Its books agree with the chains. */
  keepsATenth: {
    hole: misread((deposit) => ({ ...deposit, amount: deposit.amount * 9n / 10n })),
    faults: "none",
    seed: 1,
    says: "at most"
  },
  /** What a scan recorded of a deposit is not compared with what the quorum shows. */
  believesRecorded: {
    hole: holeIn(DepositWatcher, (real) => ({
      standing: (chain, deposit, by) =>
        Effect.map(
          real.standing(chain, deposit, by),
          (standing) => standing._tag === "Gone" ? standing : { ...standing, deposits: [deposit] }
        )
    })),
    faults: "node-inflates",
    seed: 14,
    says: ", received"
  },
  /** Whether a deposit stands is believed of one endpoint. */
  standingOfOneEndpoint: {
    hole: holeIn(DepositWatcher, (real) => ({
      standing: (chain, deposit) => real.standing(chain, deposit, "endpoint")
    })),
    faults: "node-invents",
    seed: 5,
    says: ", received"
  },
  /** A deposit that was gone and gets into a block again is not opened again. */
  goneStaysGone: {
    hole: holeIn(Deposits, (real) => ({
      record: (chainId, cursor, deposits, seenAt) =>
        Effect.gen(function*() {
          const states = yield* Effect.forEach(deposits, ({ deposit }) => real.stateOf(deposit.onchainId))
          const left = deposits.filter((_, nth) => states[nth] !== "gone")
          return yield* real.record(chainId, cursor, left, seenAt)
        }),
      recordFinal: (_chainId, _cursor) => Effect.succeed([])
    })),
    faults: "reorg-drops,reorg-deepest",
    adversary: "comes-back",
    seed: 43,
    says: "ended as gone"
  }
} as const satisfies Record<string, Planted>
