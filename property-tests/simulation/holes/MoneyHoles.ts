/** Mistakes with sponsors' money, app fees, losses and sends. */
import { Brand, Effect } from "effect"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { LedgerId } from "../../../src/domain/ledger/Transaction.ts"
import type { Costs } from "../../../src/domain/sponsorship/Agreement.ts"
import type { UserPayment } from "../../../src/domain/transfer/payment/UserPayment.ts"
import { holeIn } from "./Hole.ts"
import type { Planted } from "./Hole.ts"

const ledgerId = Brand.nominal<LedgerId>()

const nothing: Costs = {
  totals: { execution: 0n, swap: 0n, service: 0n, app: 0n, rent: 0n },
  originGas: 0n,
  fillGas: 0n
}

const tenfold = (payment: UserPayment): UserPayment => ({
  ...payment,
  payments: payment.payments.map((each) => ({ ...each, amount: each.amount * 10n }))
})

export const moneyHoles = {
  /** What is held for a refunded deposit is not given back. */
  heldForEver: {
    hole: holeIn(SponsorHolds, () => ({ release: () => Effect.void })),
    faults: "price-jumps,chain-halts,reorg-drops",
    adversary: "quote-and-abandon",
    flows: "sponsored",
    seed: 29,
    says: "the rest is held"
  },
  /** A sponsor pays twice what it was quoted. */
  drawsTwice: {
    hole: holeIn(SponsorHolds, (real) => ({
      hold: (hold, at) => real.hold({ ...hold, units: MicroUsdc(hold.units * 2n) }, at),
      settle: (settlement, at) => real.settle({ ...settlement, captured: MicroUsdc(settlement.captured * 2n) }, at)
    })),
    faults: "none",
    flows: "sponsored",
    seed: 2,
    says: ", quoted"
  },
  /** The sponsor pays when the deposit is seen, whether it is filled or not. */
  chargedAtSight: {
    hole: holeIn(SponsorHolds, (real) => ({
      hold: (hold, at) =>
        Effect.tap(real.hold(hold, at), (outcome) =>
          outcome === "held"
            ? real.settle({
              request: hold.request,
              currency: hold.currency,
              wallet: hold.wallet,
              charge: { payer: "user", costs: nothing },
              gasPaid: 0n,
              captured: hold.units,
              owed: []
            }, at)
            : Effect.void)
    })),
    faults: "price-jumps,chain-halts,reorg-drops",
    adversary: "quote-and-abandon",
    flows: "sponsored",
    seed: 29,
    says: "which is not filled"
  },
  /** App fees are booked again when their step runs again. */
  appFeesTwice: {
    hole: holeIn(Ledger, (real) => ({
      post: (movement, at) =>
        Effect.andThen(
          real.post(movement, at),
          movement.kind === "accrue"
            ? real.post({ ...movement, id: ledgerId(`${movement.id}:again`) }, at)
            : Effect.void
        )
    })),
    faults: "none",
    flows: "app-fees",
    seed: 1,
    says: "are booked 2 times"
  },
  /** App fees are kept. */
  appFeesKept: {
    hole: holeIn(Ledger, (real) => ({
      post: (movement, at) => movement.kind === "accrue" ? Effect.void : real.post(movement, at)
    })),
    faults: "none",
    flows: "app-fees",
    seed: 1,
    says: "are booked as 0"
  },
  /** Sends are not stored when they are seen. */
  sendsUnseen: {
    hole: holeIn(DirectPayments, (real) => ({
      record: (chainId, cursor) => real.record(chainId, cursor, [])
    })),
    faults: "none",
    flows: "sends",
    seed: 2,
    says: "is paid, and shown as waiting"
  },
  /** A send of less than was asked counts. */
  sendsTooSmall: {
    hole: holeIn(DirectPaymentWatcher, (real) => ({
      scan: (chain, from) =>
        Effect.map(real.scan(chain, from), (found) => ({ ...found, payments: found.payments.map(tenfold) })),
      lookAgain: (chain, id, block, by) =>
        Effect.map(
          real.lookAgain(chain, id, block, by),
          (found) => found && { ...found, payment: tenfold(found.payment) }
        )
    })),
    faults: "none",
    flows: "sends",
    seed: 7,
    says: "is not paid, and shown as success"
  },
  /** A filled deposit that is gone is no loss. */
  lossesUnbooked: {
    hole: holeIn(Losses, () => ({ book: () => Effect.succeed(true) })),
    faults: "reorg-drops,reorg-deepest",
    adversary: "take-back",
    seed: 46,
    says: "booked 0"
  }
} as const satisfies Record<string, Planted>
