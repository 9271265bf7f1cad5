/**
 * Deletes what need not be kept (SAFE-10), so that the store does not grow for ever: unpaid quotes, those of unpaid
 * deposit addresses, finished workflows, and spending of keys on days that no limit reads any more. The API deletes its
 * own stored answers.
 *
 * Any number of workers may run it at once. A quote is deleted only after its origin was scanned beyond the time in
 * which a deposit for it would be filled. A later deposit names an unknown transfer, and is closed as foreign.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Budgets } from "../../../ports/store/ledger/Budgets.ts"
import { FinishedWork } from "../../../ports/store/operations/FinishedWork.ts"
import { UnpaidQuotes } from "../../../ports/store/operations/UnpaidQuotes.ts"
import { FINISHED_WORK_HOURS, mayForget, oldestSpentDay, youngestUnpaid } from "../../domain/transfer/Retention.ts"
import type { UnpaidQuote } from "../../domain/transfer/Retention.ts"
import { countForgotten } from "./Meters.ts"
import type { Forgotten } from "./Meters.ts"
import { poll } from "../polling/Poll.ts"
import { scannedTimes } from "../deposits/watch/ScannedUntil.ts"
import { makeDropAddresses } from "../deposit-addresses/DroppingAddresses.ts"

const EVERY = Duration.hours(1)

/** Small, so that other writers wait for milliseconds only. */
const BATCH = 200
const BETWEEN_BATCHES = Duration.millis(200)

/** One walk over the old quotes. Returns how many were deleted. */
const forgetQuotes = Effect.gen(function*() {
  const quotes = yield* UnpaidQuotes
  const scanned = yield* scannedTimes()
  const now = yield* Clock.currentTimeMillis
  let forgotten = 0
  let after: UnpaidQuote | undefined
  while (true) {
    const page = yield* quotes.list(youngestUnpaid(now), after, BATCH)
    const old = page.filter((quote) => mayForget(quote, now, scanned))
    if (old.length > 0) forgotten += yield* quotes.forget(old.map(({ id }) => id))
    after = page.at(-1)
    if (page.length < BATCH) return forgotten
    yield* Effect.sleep(BETWEEN_BATCHES)
  }
})

/** Spending of keys on past days. Returns how many records were deleted. */
const forgetSpending = Effect.gen(function*() {
  const budgets = yield* Budgets
  const before = oldestSpentDay(yield* Clock.currentTimeMillis)
  let forgotten = 0
  while (true) {
    const gone = yield* budgets.forgetDays(before, BATCH)
    forgotten += gone
    if (gone < BATCH) return forgotten
    yield* Effect.sleep(BETWEEN_BATCHES)
  }
})

const names: Readonly<Record<Forgotten, string>> = {
  quotes: "unpaid quotes",
  work: "fillings that had ended",
  spending: "records of what keys spent on past days",
  addresses: "quotes of deposit addresses that nobody had paid"
}

const tell = (what: Forgotten) => (count: number) =>
  count === 0
    ? Effect.void
    : Effect.andThen(countForgotten(what, count), Effect.logInfo(`forgot ${count} ${names[what]}`))

const forgetWork = Effect.flatMap(FinishedWork, (work) => work.forget(Duration.hours(FINISHED_WORK_HOURS)))

/** Four loops, so that a failure of one does not stop the others. */
export const layer = Layer.effectDiscard(
  Effect.suspend(() =>
    Effect.all([
      Effect.tap(forgetQuotes, tell("quotes")).pipe(poll("forgetting unpaid quotes", EVERY)),
      Effect.tap(makeDropAddresses(), tell("addresses")).pipe(poll("dropping unpaid deposit addresses", EVERY)),
      Effect.tap(forgetWork, tell("work")).pipe(poll("forgetting ended work", EVERY)),
      Effect.tap(forgetSpending, tell("spending")).pipe(poll("forgetting past spending", EVERY))
    ], { concurrency: "unbounded", discard: true }).pipe(Effect.forkScoped)
  )
)
