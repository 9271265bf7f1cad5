/**
 * Halts a chain when a final block was replaced, books the losses, and lets an operator resume it.
 *
 * Actions that relied on final blocks are then in doubt. The halt is a special pause (`halt:<chain>`): no quotes from
 * or to the chain, and no filling steps that involve it, in any process, until an operator resumes it. Losses are found
 * by checking the latest actions on the chain, newest first, until enough of them still stand.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { FinalBlocks } from "../../../../ports/store/operations/FinalBlocks.ts"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import type { Loss } from "../../../../ports/store/ledger/Losses.ts"
import { Pauses } from "../../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { IncludedPayment } from "../../../../ports/store/orders/Payments.ts"
import { PermitSubmissions } from "../../../../ports/store/orders/PermitSubmissions.ts"
import { Settlements } from "../../../../ports/store/orders/Settlements.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import { Sweeps } from "../../../../ports/store/orders/Sweeps.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../../ports/chain/Treasury.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Cursor, FinalityAsked } from "../../../../ports/chain/DepositWatcher.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { haltOf, pauseId } from "../../../domain/pause/Pause.ts"
import type { Pause, PauseScope } from "../../../domain/pause/Pause.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { otherThan } from "../../../domain/transfer/deposit/Standing.ts"
import { afterReorg } from "../../../domain/transfer/refund/AfterReorg.ts"
import type { AfterReorg } from "../../../domain/transfer/refund/AfterReorg.ts"
import { goneLoss } from "../../filling/losses/MissingDeposit.ts"
import { countStuck, noteHalted } from "../../operations/Meters.ts"

const namesOneOf = (held: ReadonlyArray<Pause>, chainIds: ReadonlyArray<ChainId>): boolean =>
  chainIds.some((chainId) => haltOf(held, chainId) !== undefined)

/** True while at least one of the chains is halted. */
export const isHalted = Effect.fnUntraced(function*(chainIds: ReadonlyArray<ChainId>) {
  const pauses = yield* Pauses
  return namesOneOf(yield* pauses.all, chainIds)
})

/**
 * What this process knew of halts a moment ago, for those who look at a chain again and again. SECURITY: it may only
 * delay. What is done because a chain is not halted is preceded by `isHalted`, or decided where it is signed.
 */
export const seemsHalted = Effect.fnUntraced(function*(chainIds: ReadonlyArray<ChainId>) {
  const pauses = yield* Pauses
  return namesOneOf(yield* pauses.recent, chainIds)
})

/**
 * How many consecutive checks must show a replaced final block: one wrong answer of a node does not prove that the
 * chain is broken.
 */
const LOOKS = 3

/** How many consecutive unchanged items end the search: a reorg removes the newest, so everything older stands too. */
const STANDING = 20

/** The most items that are checked: some days of one chain. */
const LOOKED_AT = 2_000

interface Looked {
  readonly remains: AfterReorg
  /** What is done about a lost item. Idempotent. */
  readonly whenLost: Effect.Effect<
    void,
    StoreUnavailable,
    Losses | Payments | PermitSubmissions | Settlements | Sweeps | Transfers
  >
}

const bookLoss = Effect.fnUntraced(function*(loss: Loss) {
  const losses = yield* Losses
  if (!(yield* losses.book(loss, yield* Clock.currentTimeMillis))) return
  yield* countStuck(`lost-${loss.kind}`)
  yield* Effect.logError(
    `a ${loss.kind} that was final is no longer on its chain: ${loss.transactionId}, ${loss.amount} of ${loss.currency} (chain ${loss.chainId})`
  )
})

/** Of a deposit of a request that is deleted, all that is recorded is lost. */
const lossOf = Effect.fnUntraced(function*(deposit: Deposit) {
  const transfers = yield* Transfers
  const { amount, chainId, currency, depositId, onchainId, transactionId } = deposit
  const orderId = OrderId.make(depositId)
  const transfer = yield* transfers.findByOrder(orderId)
  const whole: Loss = { kind: "deposit", chainId, orderId, deposit: onchainId, transactionId, currency, amount }
  return transfer === undefined ? whole : yield* goneLoss(transfer, deposit)
})

/** The swept money is at its address again: the deposit that the sweep made is the loss. The sequence is free. */
const sweepAgain = Effect.fnUntraced(function*({ orderId, transactionId }: IncludedPayment) {
  const sweeps = yield* Sweeps
  // The payment of a sweep has the sweep's id in place of an order's.
  if (!(yield* sweeps.reopen(orderId))) return
  yield* Effect.logError(`a sweep that was final is no longer on its chain and is made again: ${transactionId}`)
})

/** A submission to the hub is no loss: it is sent again from its stored bytes, and the hub executes it once. */
const submitAgain = Effect.fnUntraced(function*({ orderId, transactionId }: IncludedPayment) {
  const settlements = yield* Settlements
  if (!(yield* settlements.reopen(orderId, yield* Clock.currentTimeMillis))) return
  yield* Effect.logError(
    `a submission that was final is no longer on its chain and is tracked again: ${transactionId}`
  )
})

/**
 * The money of a permit is its owner's again: the deposit is the loss. The same bytes may still deposit it before their
 * deadline.
 */
const submitPermitAgain = Effect.fnUntraced(function*({ orderId, transactionId }: IncludedPayment) {
  const permits = yield* PermitSubmissions
  if (!(yield* permits.reopen(orderId))) return
  yield* Effect.logError(
    `a permit that was carried out in a final block is no longer on its chain and is submitted again: ${transactionId}`
  )
})

/** Finds the missing items of one kind, newest first. */
const findMissing = Effect.fnUntraced(
  function*<A, E, R>(all: ReadonlyArray<A>, look: (one: A) => Effect.Effect<Looked, E, R>) {
    let untouched = 0
    for (const one of all) {
      const { remains, whenLost } = yield* look(one)
      untouched = remains === "untouched" ? untouched + 1 : 0
      if (untouched >= STANDING) return
      if (remains === "lost") yield* whenLost
    }
  }
)

const bookLosses = Effect.fn("Halting.bookLosses")(function*(chain: Chain) {
  const deposits = yield* Deposits
  const payments = yield* Payments
  const treasury = yield* Treasury
  const watcher = yield* DepositWatcher
  yield* findMissing(
    yield* deposits.ended(chain.id, LOOKED_AT),
    Effect.fnUntraced(function*({ deposit }) {
      const standing = yield* watcher.standing(chain, deposit, "quorum")
      return {
        remains: afterReorg(
          deposit.block,
          standing._tag === "Included" && otherThan(deposit, standing) === undefined ? standing : undefined
        ),
        whenLost: Effect.flatMap(lossOf(deposit), bookLoss)
      }
    })
  )
  yield* findMissing(
    yield* payments.included(chain.id, LOOKED_AT),
    Effect.fnUntraced(function*(payment) {
      const { amount, block, chainId, currency, deposit, leg, orderId, transactionId, variants } = payment
      const outcome = yield* treasury.outcome(chain, variants, "quorum")
      const remains = afterReorg(block, outcome._tag === "Included" && outcome.succeeded ? outcome : undefined)
      switch (leg) {
        case "sweep":
          return { remains, whenLost: sweepAgain(payment) }
        case "settlement":
          return { remains, whenLost: submitAgain(payment) }
        case "permit":
          return { remains, whenLost: submitPermitAgain(payment) }
        default:
          return {
            remains,
            whenLost: bookLoss({ kind: "payment", chainId, orderId, deposit, transactionId, currency, amount })
          }
      }
    })
  )
})

type Halt = Extract<PauseScope, { readonly _tag: "Halt" }>

const halt = Effect.fn("Halting.halt")(function*(chain: Chain, scope: Halt) {
  const pauses = yield* Pauses
  yield* pauses.add({
    id: pauseId(scope),
    scope,
    reason: `block ${scope.height} was final as ${scope.expected} and is now ${scope.found}`,
    createdAt: yield* Clock.currentTimeMillis
  })
  yield* countStuck("chain-halted")
  yield* Effect.logError(
    `${chain.slug} is halted: its block ${scope.height} was final and has been replaced; nothing is quoted, filled or refunded on it until an operator resumes ${
      pauseId(scope)
    }`
  )
})

/**
 * What a check of final blocks found. "suspicious": a final block seems replaced, and the next check follows soon.
 * "booked": losses were booked, and deposits may be open again.
 */
export type FinalityCheck = "calm" | "suspicious" | "booked"

/**
 * Checks whether final blocks still are, for a loop that watches one chain. It keeps state between checks: the block
 * that it has remembered last, and what this process knows of halts. Before anything follows from them, the store is
 * asked. `asked` "newest": a newer final block is remembered, too.
 */
export const makeFinalityGuard = (chain: Chain) => {
  let replaced = 0
  /** What was remembered last, by this process. Another one may have remembered a newer block, or forgotten it. */
  let known: Cursor | undefined
  return Effect.fnUntraced(function*(asked: FinalityAsked) {
    const finals = yield* FinalBlocks
    const watcher = yield* DepositWatcher
    const halted = yield* seemsHalted([chain.id])
    yield* noteHalted(chain.slug, halted)
    if (halted) {
      replaced = 0
      known = undefined
      // Remembered until the losses are booked. After a crash they are booked again, which is idempotent.
      if ((yield* finals.find(chain.id)) === undefined || !(yield* isHalted([chain.id]))) {
        return "calm" satisfies FinalityCheck
      }
      yield* Effect.andThen(bookLosses(chain), finals.forget(chain.id))
      return "booked" satisfies FinalityCheck
    }
    const remembered = known ?? (yield* finals.find(chain.id))
    known = undefined
    const { found, newest } = yield* watcher.finality(chain, remembered, remembered === undefined ? "newest" : asked)
    // A node that does not know the block gives no information about it.
    if (remembered !== undefined && found === undefined) return "calm" satisfies FinalityCheck
    if (remembered !== undefined && found !== undefined && found !== remembered.hash) {
      // Read from the store next time: an operator may have resumed the chain, which forgets the block.
      replaced += 1
      if (replaced >= LOOKS) {
        yield* halt(chain, {
          _tag: "Halt",
          chainId: chain.id,
          height: remembered.height,
          expected: remembered.hash,
          found
        })
      }
      return "suspicious" satisfies FinalityCheck
    }
    replaced = 0
    known = remembered
    if (newest !== undefined && newest.height > (remembered?.height ?? -1n)) {
      yield* finals.remember(chain.id, newest)
      known = newest
    }
    return "calm" satisfies FinalityCheck
  })
}
