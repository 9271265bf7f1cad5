/**
 * Forgets what need not be kept (SAFE-10), so that the store does not grow for ever: unpaid quotes, what the workflow
 * engine keeps of fillings that have ended, and what keys spent on days that no limit reads any more. Stored answers are the
 * API's own to forget.
 *
 * Any number of workers may do it at once. A quote goes only when its origin was scanned beyond the time in which a deposit
 * for it would be filled; a deposit that comes later names a transfer that is unknown, and is closed as foreign.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Budgets } from "../../ports/Budgets.ts"
import { Chains } from "../../ports/Chains.ts"
import { DepositWatcher } from "../../ports/DepositWatcher.ts"
import { Deposits } from "../../ports/Deposits.ts"
import { FinishedWork } from "../../ports/FinishedWork.ts"
import { Sends } from "../../ports/Sends.ts"
import { UnpaidQuotes } from "../../ports/UnpaidQuotes.ts"
import type { Chain } from "../domain/chain/Chain.ts"
import type { ChainId } from "../domain/chain/ChainId.ts"
import { FINISHED_WORK_HOURS, mayForget, oldestSpentDay, youngestUnpaid } from "../domain/transfer/Retention.ts"
import type { UnpaidQuote } from "../domain/transfer/Retention.ts"
import { countForgotten } from "./Meters.ts"
import type { Forgotten } from "./Meters.ts"
import { persistently } from "./Persistently.ts"
import { pollInterval } from "./PollInterval.ts"

const EVERY = Duration.hours(1)

/** Small, so that whoever wants to write waits for milliseconds. */
const BATCH = 200
const BETWEEN_BATCHES = Duration.millis(200)

/** How long the scan of a chain may take to reach the head that was seen; one that does not is left for the next time. */
const SCAN_PATIENCE = Duration.minutes(1)

/** The time of a block of the chain that was scanned by now; undefined when none is known. */
const scannedUntil = Effect.fnUntraced(function*(chain: Chain) {
  const deposits = yield* Deposits
  const sends = yield* Sends
  const watcher = yield* DepositWatcher
  const { height, time } = yield* watcher.head(chain)
  const reached = Effect.map(Effect.all([deposits.cursor(chain.id), sends.cursor(chain.id)]), ([seen, sent]) =>
    // Sends have no cursor while none is looked for.
    seen !== undefined && seen.height >= height && (sent === undefined || sent.height >= height))
  return yield* reached.pipe(
    Effect.tap((is) => is ? Effect.void : Effect.sleep(pollInterval(chain))),
    Effect.repeat({ until: (is) => is }),
    Effect.as(time),
    Effect.timeout(SCAN_PATIENCE)
  )
}, Effect.orElseSucceed(() => undefined))

const scannedTimes = Effect.fnUntraced(function*() {
  const { all } = yield* Chains
  const times = yield* Effect.forEach(all, (chain) => Effect.map(scannedUntil(chain), (time) => [chain.id, time] as const), { concurrency: "unbounded" })
  const known: ReadonlyMap<ChainId, number | undefined> = new Map(times)
  return (chain: ChainId) => known.get(chain)
})

/** One walk over the old quotes; answers how many were forgotten. */
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

/** What keys spent on past days; answers how many records were forgotten. */
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
  spending: "records of what keys spent on past days"
}

const tell = (what: Forgotten) => (count: number) =>
  count === 0 ? Effect.void : Effect.andThen(countForgotten(what, count), Effect.logInfo(`forgot ${count} ${names[what]}`))

const forgetWork = Effect.flatMap(FinishedWork, (work) => work.forget(Duration.hours(FINISHED_WORK_HOURS)))

const round = Effect.all([
  Effect.tap(forgetQuotes, tell("quotes")).pipe(persistently("forgetting unpaid quotes")),
  Effect.tap(forgetWork, tell("work")).pipe(persistently("forgetting ended work")),
  Effect.tap(forgetSpending, tell("spending")).pipe(persistently("forgetting past spending"))
], { discard: true })

export const layer = Layer.effectDiscard(round.pipe(Effect.andThen(Effect.sleep(EVERY)), Effect.forever, Effect.forkScoped))
