/**
 * Holes that are planted into the service on purpose: each is a mistake that a port or its caller could make. The
 * simulation must find them, or it proves nothing (`Holes.sim.test.ts`).
 */
import { Effect, Layer } from "effect"
import { DepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import { Treasury } from "../../ports/chain/Treasury.ts"
import type { Deposit } from "../../src/domain/transfer/deposit/Deposit.ts"
import { token } from "./Terms.ts"

/** Wraps ports of the service. */
export type Hole = Layer.Layer<DepositWatcher | Treasury, never, DepositWatcher | Treasury>

const watcher = Layer.effect(DepositWatcher, DepositWatcher)
const treasury = Layer.effect(Treasury, Treasury)

export const noHole: Hole = Layer.merge(watcher, treasury)

/** A payment is sent when it is signed, before it is stored. A kill in between forgets it. */
const sentBeforeStored: Hole = Layer.merge(
  watcher,
  Layer.effect(
    Treasury,
    Effect.map(Treasury, (real): Treasury["Service"] => ({
      ...real,
      prepare: (payment) =>
        Effect.map(real.prepare(payment), (prepared) => ({
          ...prepared,
          sign: (sequence, others) =>
            Effect.tap(
              prepared.sign(sequence, others),
              (signed) => Effect.ignore(real.broadcast(payment.chain, signed))
            )
        }))
    }))
  )
)

/** A payment that no node shows counts as one that can never be executed, and is signed again. */
const givenUp: Hole = Layer.merge(
  watcher,
  Layer.effect(
    Treasury,
    Effect.map(Treasury, (real): Treasury["Service"] => ({
      ...real,
      outcome: (chain, variants, by) =>
        Effect.map(
          real.outcome(chain, variants, by),
          (outcome) => outcome._tag === "Unseen" ? { _tag: "Superseded" } : outcome
        )
    }))
  )
)

/**
 * After a reorg, the scan reads on from where it was, and final blocks are not looked at again. What moved to a block
 * below is missed.
 */
const scanReadsOn: Hole = Layer.merge(
  Layer.effect(
    DepositWatcher,
    Effect.map(DepositWatcher, (real): DepositWatcher["Service"] => ({
      ...real,
      scan: (chain, from) =>
        Effect.map(real.scan(chain, from), (found) => ({
          ...found,
          deposits: found.deposits.filter(({ block }) => block.height > from.height)
        })),
      scanFinal: (_chain, _from, final) => Effect.succeed({ cursor: final, deposits: [] })
    }))
  ),
  treasury
)

/** Wraps what a watcher reads of each deposit. */
const misread = (as: (deposit: Deposit) => Deposit): Hole =>
  Layer.merge(
    Layer.effect(
      DepositWatcher,
      Effect.map(DepositWatcher, (real): DepositWatcher["Service"] => ({
        ...real,
        scan: (chain, from) =>
          Effect.map(real.scan(chain, from), (found) => ({ ...found, deposits: found.deposits.map(as) })),
        look: (chain, id) => Effect.map(real.look(chain, id), (found) => found?.map(as)),
        standing: (chain, deposit, by) =>
          Effect.map(real.standing(chain, deposit, by), (standing) =>
            standing._tag === "Gone"
              ? standing
              : { ...standing, deposits: standing.deposits.map(as) })
      }))
    ),
    treasury
  )

/** A deposit of the cheaper currency counts as one of the dearer. */
const anyCurrency: Hole = misread((deposit) => ({ ...deposit, currency: token }))

/** The service keeps a tenth of each deposit. Its books agree with the chains. */
const keepsATenth: Hole = misread((deposit) => ({ ...deposit, amount: deposit.amount * 9n / 10n }))

/** Refunds are a tenth smaller than what is stored. */
const refundsShort: Hole = Layer.merge(
  watcher,
  Layer.effect(
    Treasury,
    Effect.map(Treasury, (real): Treasury["Service"] => ({
      ...real,
      prepare: (payment) =>
        real.prepare(payment._tag === "Refund" ? { ...payment, amount: payment.amount * 9n / 10n } : payment)
    }))
  )
)

export const holes = {
  sentBeforeStored,
  givenUp,
  scanReadsOn,
  anyCurrency,
  keepsATenth,
  refundsShort
}
