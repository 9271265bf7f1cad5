/** Mistakes with deposit addresses, with the budgets of their sponsors, and after a restore. */
import { Effect } from "effect"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { holeIn } from "./Hole.ts"
import type { Planted } from "./Hole.ts"

const unread = { _tag: "Unread" } as const

export const addressHoles = {
  /** The watcher never reads a balance. */
  addressesUnwatched: {
    hole: holeIn(AddressBalances, (real) => ({
      read: (chain, holder, currencies, from) =>
        from === "watched"
          ? Effect.succeed(currencies.map(() => unread))
          : real.read(chain, holder, currencies, from)
    })),
    faults: "none",
    flows: "addresses",
    seed: 1,
    says: "lie at the deposit address"
  },
  /** A reindex reads no other currency than the watcher. */
  reindexesNothing: {
    hole: holeIn(AddressBalances, (real) => ({
      read: (chain, holder, currencies, from) =>
        from === "watched" || currencies.length === 1
          ? real.read(chain, holder, currencies, from)
          : Effect.succeed(currencies.map(() => unread))
    })),
    faults: "none",
    flows: "addresses",
    seed: 3,
    says: "users are still busy"
  },
  /** That a sweep is done is not stored: what comes later is never swept. */
  sweepsNeverEnd: {
    hole: holeIn(Sweeps, () => ({ close: () => Effect.void })),
    faults: "none",
    flows: "addresses",
    seed: 2,
    says: "lie at the deposit address"
  },
  /** The budget of an address counts nothing. */
  laterUncounted: {
    hole: holeIn(SponsorHolds, (real) => ({
      hold: ({ at: _, ...hold }, at) => real.hold({ ...hold, at: undefined }, at)
    })),
    faults: "none",
    adversary: "drain-address",
    flows: "sponsored,addresses",
    seed: 2,
    says: "has drawn"
  },
  /** What is drawn for a recipient counts against the budget of another one. */
  recipientsMistaken: {
    hole: holeIn(SponsorHolds, (real) => ({
      hold: (hold, at) => real.hold({ ...hold, recipient: Address.make(hold.request) }, at)
    })),
    faults: "none",
    adversary: "drain-sponsor",
    flows: "sponsored",
    seed: 1,
    says: "in a day"
  },
  /** What was paid after the backup is found, and not stored. */
  adoptsNothing: {
    hole: holeIn(Payments, () => ({ adopt: () => Effect.succeed(true) })),
    faults: "backup-restored",
    seed: 2,
    says: "payments"
  },
  /** Of what was paid after the backup, refunds are found and not stored: their deposits are refunded again. */
  adoptsNoRefunds: {
    hole: holeIn(Payments, (real) => ({
      adopt: (found, at) => found.leg.startsWith("refund:") ? Effect.succeed(true) : real.adopt(found, at)
    })),
    faults: "backup-restored",
    adversary: "all",
    seed: 2,
    says: "has 2 deposits and 3 payments"
  },
  /** A restored store does not know its own sweep of a later deposit, whose request it has forgotten (RESTORE-2). */
  sweepsForgotten: {
    hole: holeIn(DepositAddresses, () => ({ among: () => Effect.succeed([]) })),
    faults: "backup-restored,reorg,reorg-drops,reorg-deepest,kill,node-hides",
    adversary: "all",
    flows: "all",
    seed: 7003,
    says: "user 2 has lost"
  }
} as const satisfies Record<string, Planted>
