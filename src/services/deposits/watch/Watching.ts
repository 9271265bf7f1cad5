/**
 * Sees deposits and starts what becomes of them: one loop a chain from a stored cursor, and a sweep of what is open.
 *
 * A deposit is stored together with the cursor that passed it, then its filling is started; a crash in between is made
 * good by the sweep, because starting a filling twice is starting it once. Beside each scan goes one look at whether
 * what was final still is (`Halting`).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Sighting } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { FillingWorkflow } from "../../filling/FillingWorkflow.ts"
import { setForeignAside } from "./ForeignDeposits.ts"
import { makeFinalityGuard } from "../halt/Halting.ts"
import { countDeposits, countRetry, countStuck, noteHeight } from "../../operations/Meters.ts"
import { anchorChain } from "./AnchorChain.ts"
import { makeHeadAges } from "./HeadAges.ts"
import type { HeadAges } from "./HeadAges.ts"
import { persistently } from "../../polling/Persistently.ts"
import { pollInterval } from "../../polling/PollInterval.ts"

const start = ({ deposit: { onchainId }, sighting }: Sighting) =>
  FillingWorkflow.execute({ onchainId, sighting }, { discard: true })

/** Where the trace of a filling begins: deposits come from outside, whatever loop has found them. */
const begin = (sighting: Sighting) =>
  start(sighting).pipe(Effect.withSpan("Filling.begin", { root: true, kind: "consumer" }))

const scan = Effect.fnUntraced(function*(chain: Chain, ages: HeadAges) {
  const watcher = yield* DepositWatcher
  const deposits = yield* Deposits
  const cursor = yield* deposits.cursor(chain.id)
  if (cursor === undefined) return yield* anchorChain(chain)
  const scanned = yield* watcher.scan(chain, cursor)
  yield* ages.note(chain, scanned.head, scanned.cursor.height)
  if (scanned.cursor.height === cursor.height && scanned.cursor.hash === cursor.hash) return
  // Before the cursor passes them; done again after a crash, they are recorded once.
  const { foreign, ours } = yield* setForeignAside(scanned.deposits)
  const fresh = yield* deposits.record(chain.id, scanned.cursor, ours, yield* Clock.currentTimeMillis)
  yield* noteHeight(chain.slug, scanned.cursor.height)
  yield* countDeposits(chain.slug, fresh.length + foreign)
  yield* Effect.forEach(fresh, begin, { discard: true })
})

/**
 * An execution that has ended without closing its deposit met a failure of the engine or its store: it is begun anew.
 */
const startAgain = Effect.fnUntraced(function*(sighting: Sighting) {
  const deposits = yield* Deposits
  const execution = yield* start(sighting)
  const result = yield* FillingWorkflow.poll(execution)
  if (Option.isNone(result) || result.value._tag !== "Complete" || Exit.isSuccess(result.value.exit)) return
  yield* countStuck("filling-died")
  yield* Effect.logError(`the filling of ${sighting.deposit.onchainId} has ended without a result; it is begun again`)
  const again = yield* deposits.sightAgain(sighting)
  if (again !== undefined) yield* start(again)
})

/** Starts again whatever is open: after a restart at once, and now and then for what no scan started. */
const sweep = Effect.gen(function*() {
  const deposits = yield* Deposits
  const open = yield* deposits.open
  yield* Effect.forEach(open, startAgain, { discard: true })
}).pipe(persistently("sweep of open deposits"))

const watch = (chain: Chain, ages: HeadAges) => {
  const look = makeFinalityGuard(chain)
  // One that fails is made good by the next: it must not keep deposits from being seen.
  const guard = look().pipe(
    Effect.tapError(({ message }) =>
      Effect.andThen(countRetry("finality"), Effect.logWarning(`finality of ${chain.slug}: ${message}`))
    ),
    Effect.orElseSucceed(() => false)
  )
  return Effect.all([guard, scan(chain, ages)], { concurrency: "unbounded" }).pipe(
    persistently(`watching ${chain.slug}`),
    Effect.tap(([opened]) => opened ? sweep : Effect.void),
    Effect.andThen(Effect.sleep(pollInterval(chain))),
    Effect.forever
  )
}

/** How far back a pick-up looks: further than the clocks of two processes differ. */
const PICK_UP_MS = 60_000

const MAX_PICKED_UP = 10_000

/** Starts what an API process noted on request (`Indexing`), without waiting for the sweep. */
const makePickUp = Effect.sync(() => {
  const picked = new Set<string>()
  const keyOf = ({ deposit, sighting }: Sighting) => `${deposit.onchainId}:${sighting}`
  return Effect.gen(function*() {
    const deposits = yield* Deposits
    const open = yield* deposits.openSince((yield* Clock.currentTimeMillis) - PICK_UP_MS)
    for (const sighting of open.filter((each) => !picked.has(keyOf(each)))) {
      yield* begin(sighting)
      if (picked.size >= MAX_PICKED_UP) picked.clear()
      picked.add(keyOf(sighting))
    }
  }).pipe(persistently("picking up noted deposits"))
})

const PICK_UP_EVERY = Duration.seconds(1)

const SWEEP_EVERY = Duration.seconds(30)

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  yield* sweep.pipe(Effect.andThen(Effect.sleep(SWEEP_EVERY)), Effect.forever, Effect.forkScoped)
  const pickUp = yield* makePickUp
  yield* pickUp.pipe(Effect.andThen(Effect.sleep(PICK_UP_EVERY)), Effect.forever, Effect.forkScoped)
  const ages = yield* makeHeadAges
  yield* Effect.forkScoped(ages.tell)
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(watch(chain, ages)), { discard: true })
}))
