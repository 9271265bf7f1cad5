/** Holes that are planted into the sweeps of Tron's deposit addresses. The simulation must find them. */
import { Clock, Effect } from "effect"
import { AddressBalances, nothingLeft } from "../../../ports/chain/AddressBalances.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { PreparedPayment } from "../../../ports/chain/Treasury.ts"
import { readStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { holeIn } from "../holes/Hole.ts"
import type { Planted } from "../holes/Hole.ts"
import { chainIds } from "../Terms.ts"

/** What is stored of a sweep, without the transfer that pays for it. */
const withoutFunding = (prepared: PreparedPayment): PreparedPayment => ({
  ...prepared,
  sign: (sequence, held) =>
    Effect.map(prepared.sign(sequence, held), (signed) => ({
      ...signed,
      raw: signed.raw.split(".").slice(0, 2).join(".")
    }))
})

/** Before a sweep has expired. */
const TOO_EARLY_MS = 90_000

export const tronAddressHoles = {
  /** An address is sent no TRX for its sweep. */
  sweepsUnfunded: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) =>
        payment.chain.id === chainIds.tron && payment._tag === "Sweep"
          ? Effect.map(real.prepare(payment), withoutFunding)
          : real.prepare(payment)
    })),
    faults: "none",
    flows: "tron-addresses",
    seed: 5,
    says: "lie at the deposit address"
  },
  /** A sweep that no block has yet counts as dead, so that its address is sent TRX again. */
  sweepsDeadUnproven: {
    hole: holeIn(Treasury, (real) => ({
      outcome: Effect.fnUntraced(function*(chain, variants, by) {
        const outcome = yield* real.outcome(chain, variants, by)
        const { expiration = 0, funding } = readStored((variants.at(-1) ?? variants[0]).raw) ?? {}
        const isOld = (yield* Clock.currentTimeMillis) > expiration - TOO_EARLY_MS
        return funding !== undefined && isOld && outcome._tag === "Unseen" ? { _tag: "Expired" } : outcome
      })
    })),
    faults: "last-moment",
    flows: "tron-addresses",
    seed: 2,
    says: "TRX are sent for the sweep"
  },
  /** A quote's price leaves out what the sweep of its address costs. */
  sweepsUnpriced: {
    hole: holeIn(Gas, (real) => ({
      ofSweep: (chain, currency) => chain.id === chainIds.tron ? Effect.succeed(0n) : real.ofSweep(chain, currency)
    })),
    faults: "none",
    flows: "tron-addresses",
    seed: 1,
    says: "its sweep on tron cost"
  },
  /** The sweep of a token is paid by whatever TRX its address has, also those that were paid to it. */
  sweepsPaidByPayers: {
    hole: holeIn(Treasury, (real) => ({
      prepare: (payment) =>
        payment.chain.id === chainIds.tron && payment._tag === "Sweep" &&
          payment.sweep.currency !== payment.chain.native.address
          ? real.prepare({ ...payment, sweep: { ...payment.sweep, left: 10n ** 18n } })
          : real.prepare(payment)
    })),
    faults: "none",
    flows: "tron-addresses",
    seed: 26,
    says: "sun that were paid to it"
  },
  /** What sweeps have left of the solver's TRX counts as paid to their addresses. */
  leftoversPaid: {
    hole: holeIn(AddressBalances, () => ({ leftBySweeps: nothingLeft })),
    faults: "none",
    flows: "tron-addresses",
    seed: 7,
    says: "sun are swept from"
  }
} as const satisfies Record<string, Planted>
