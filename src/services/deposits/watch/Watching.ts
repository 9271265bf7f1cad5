/**
 * Finds deposits and starts their fillings: one loop per chain from a stored cursor, which looks when the chain
 * has moved, and a sweep over open deposits.
 *
 * A deposit is stored together with the cursor that passed it, then its filling is started. The sweep repairs a crash
 * in between, because starting a filling is idempotent. Each scan also checks whether final blocks still are
 * (`Halting`).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { OpenDeposit } from "../../../../ports/store/orders/Deposits.ts"
import type { StoreUnavailable } from "../../../../ports/store/StoreUnavailable.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { FillingWorkflow } from "../../filling/FillingWorkflow.ts"
import { setForeignAside } from "./ForeignDeposits.ts"
import { makeFinalityGuard } from "../halt/Halting.ts"
import type { FinalityCheck } from "../halt/Halting.ts"
import { after, lookUntil, whenMovedBeyond } from "../../following/LookUntil.ts"
import { countDeposits, countRetry, countStuck, noteHeight } from "../../operations/Meters.ts"
import { anchorChain } from "./AnchorChain.ts"
import { keepLookingAgain } from "./LookAgain.ts"
import { makeHeadAges } from "./HeadAges.ts"
import type { HeadAges } from "./HeadAges.ts"
import { makeKnownCursor } from "./KnownCursor.ts"
import type { KnownCursor } from "./KnownCursor.ts"
import { makeRenewal } from "./Renewal.ts"
import { tellUnread } from "./UnreadTransactions.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { poll, pollNoticed } from "../../polling/Poll.ts"
import { pollInterval } from "../../polling/PollInterval.ts"

/**
 * How many fillings of one order run at a time. Anybody can make thousands of deposits under one order, and each is
 * judged and refunded by its own filling: the next starts when one has ended. `precedenceOf` gives the order.
 */
const OF_ONE_ORDER = 4

const start = (open: OpenDeposit) => FillingWorkflow.execute(open, { discard: true })

/** Starts the trace of a filling: deposits come from outside, whichever loop has found them. */
const begin = (open: OpenDeposit) =>
  start(open).pipe(Effect.withSpan("Filling.begin", { root: true, kind: "consumer" }))

/**
 * Starts fillings that this process has not started yet: of deposits that a scan or an API process (`Indexing`) has
 * recorded, and of the next deposits under an order with many.
 */
const makePickUp = Effect.gen(function*() {
  const turn = yield* Semaphore.make(1)
  let begun: ReadonlySet<string> = new Set()
  const keyOf = ({ onchainId, sighting }: OpenDeposit) => `${onchainId}:${sighting}`
  return Effect.gen(function*() {
    const deposits = yield* Deposits
    const open = yield* deposits.open(OF_ONE_ORDER)
    yield* Effect.forEach(open.filter((each) => !begun.has(keyOf(each))), begin, { discard: true })
    begun = new Set(open.map(keyOf))
  }).pipe(turn.withPermits(1))
})

type PickUp = Effect.Success<typeof makePickUp>

const scan = Effect.fnUntraced(function*(
  chain: Chain,
  known: KnownCursor<StoreUnavailable, Deposits>,
  ages: HeadAges,
  pickUp: PickUp,
  isRenewing: boolean
) {
  const watcher = yield* DepositWatcher
  const deposits = yield* Deposits
  const cursor = yield* known.current
  const soon = after(pollInterval(chain))
  if (cursor === undefined) return yield* Effect.as(anchorChain(chain), soon)
  const scanned = yield* watcher.scan(chain, cursor)
  yield* tellUnread(scanned)
  yield* ages.note(chain, scanned.head, scanned.cursor.height)
  const isBehind = scanned.cursor.height < scanned.head.height
  const rest = isBehind ? soon : whenMovedBeyond(scanned.head)
  if (known.isRecorded(scanned.cursor)) return rest
  yield* noteHeight(chain.slug, scanned.cursor.height)
  if (!isRenewing && !isBehind && scanned.deposits.length === 0) {
    known.reach(scanned.cursor)
    return rest
  }
  // Before the cursor passes them. Idempotent after a crash.
  const { foreign, ours } = yield* setForeignAside(scanned.deposits)
  const fresh = yield* deposits.record(chain.id, scanned.cursor, ours, yield* Clock.currentTimeMillis)
  known.note(scanned.cursor)
  yield* countDeposits(chain.slug, fresh.length + foreign)
  if (fresh.length > 0) yield* pickUp
  return rest
})

/**
 * An execution that ended without closing its deposit met a failure of the engine or its store, so it is started again.
 */
const startAgain = Effect.fnUntraced(function*(open: OpenDeposit) {
  const deposits = yield* Deposits
  const execution = yield* start(open)
  const result = yield* FillingWorkflow.poll(execution)
  if (Option.isNone(result) || result.value._tag !== "Complete" || Exit.isSuccess(result.value.exit)) return
  yield* countStuck("filling-died")
  yield* Effect.logError(`the filling of ${open.onchainId} ended without a result and is started again`)
  yield* deposits.sightAgain(open)
})

/** Starts all open deposits again: at once after a restart, and periodically for those that no scan has started. */
const sweep = Effect.gen(function*() {
  const deposits = yield* Deposits
  yield* Effect.forEach(yield* deposits.open(OF_ONE_ORDER), startAgain, { discard: true })
})

const watch = (chain: Chain, ages: HeadAges, pickUp: PickUp) => {
  const look = makeFinalityGuard(chain)
  const known = makeKnownCursor(Effect.flatMap(Deposits, ({ cursor }) => cursor(chain.id)))
  const renewal = makeRenewal(chain)
  // The next check makes up for one that fails. It must not delay the detection of deposits.
  const guard = (isRenewing: boolean) =>
    look(isRenewing ? "newest" : "standing").pipe(
      Effect.tapError(({ message }) =>
        Effect.andThen(countRetry("finality"), Effect.logWarning(`finality of ${chain.slug}: ${message}`))
      ),
      Effect.orElseSucceed(() => "suspicious" satisfies FinalityCheck)
    )
  const lookOnce = Effect.gen(function*() {
    const began = yield* Clock.currentTimeMillis
    const isRenewing = yield* renewal.isDue
    const looked = yield* Effect.all([guard(isRenewing), scan(chain, known, ages, pickUp, isRenewing)], {
      concurrency: "unbounded"
    })
    if (isRenewing && looked[0] !== "suspicious") renewal.note(began)
    return looked
  })
  const turn = lookOnce.pipe(
    Effect.tap(([checked]) => checked === "booked" ? retryForever("sweep of open deposits")(sweep) : Effect.void),
    Effect.map(([checked, rest]) => checked === "suspicious" ? after(pollInterval(chain)) : rest),
    retryForever(`watching ${chain.slug}`)
  )
  return lookUntil(chain, () => turn, "watches")
}

/** At most so often, however many deposits are recorded. */
const PICK_UP_EVERY = Duration.seconds(1)

const SWEEP_EVERY = Duration.seconds(30)

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  yield* sweep.pipe(poll("sweep of open deposits", SWEEP_EVERY), Effect.forkScoped)
  const pickUp = yield* makePickUp
  yield* pickUp.pipe(pollNoticed("picking up noted deposits", "deposits", PICK_UP_EVERY), Effect.forkScoped)
  const ages = yield* makeHeadAges
  yield* Effect.forkScoped(ages.tell)
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(watch(chain, ages, pickUp)), { discard: true })
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(keepLookingAgain(chain)), { discard: true })
}))
