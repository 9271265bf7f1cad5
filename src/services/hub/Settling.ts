/**
 * Settles deposits on the hub once their fill or refund is final: checks those that are due, gathers the oracles'
 * signatures, submits several at once, and follows each submission until the hub has it in a final block.
 *
 * A deposit that cannot be settled delays no other, and is checked again at growing intervals. SECURITY: settling costs
 * nothing but gas, and the gate executes each execution once, however often it is submitted.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import type { Hub } from "../../../ports/hub/SettlingHub.ts"
import { SettlingHub } from "../../../ports/hub/SettlingHub.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { ClaimedSettlement, Conclusion } from "../../../ports/store/orders/Settlements.ts"
import { isGivenUp, reconnectAt, retryDelayOf, recheckAt } from "../../domain/hub/settling/RecheckDelay.ts"
import { callsOf, packed } from "../../domain/hub/settling/Packing.ts"
import type { Ready } from "../../domain/hub/settling/Packing.ts"
import { id } from "../../domain/hub/ProtocolId.ts"
import { countSettled, countStuck } from "../operations/Meters.ts"
import { poll, pollAfter, pollNoticed } from "../polling/Poll.ts"
import { makeSubmissionTracker, notePositions } from "./SubmissionTracker.ts"
import { NewSettlements } from "./NewSettlements.ts"
import { look } from "./Gathering.ts"
import type { Looked } from "./Gathering.ts"
import { POSITION_EVERY } from "./HubPosition.ts"
import { recheckSettled } from "./RecheckSettled.ts"
import { makeSettlementBacklog } from "./SettlementBacklog.ts"

/** The least pause between two looks at the store. */
const EVERY = Duration.millis(500)

/** Checked together; the same number can wait for oracles at the same time. */
const CLAIMED = 32

/**
 * For one check. After its lease another worker may check the same deposit, so nothing of a check may run longer.
 * Asking oracles has a much shorter deadline of its own.
 */
const LOOK = Duration.seconds(45)
const LEASE_MS = 60_000

/** Reading again is cheap, so the wait is short. */
const NOT_FINAL_MS = 2_000

/** The result of a check that made nothing ready. */
type Ended = Exclude<Looked, { readonly _tag: "Ready" }> | { readonly _tag: "Unreached"; readonly reason: string }

/** Schedules another check. */
const again = Effect.fnUntraced(
  function*(
    { alike, attempts }: ClaimedSettlement,
    { _tag, reason }: Extract<Ended, { readonly _tag: "Waiting" | "Unreached" }>
  ) {
    const now = yield* Clock.currentTimeMillis
    if (_tag === "Unreached") return { _tag, reason, dueAt: reconnectAt(now) } satisfies Conclusion
    // It was executed and only has to become final.
    if (reason === "hub-not-final") return { _tag: "Unreached", reason, dueAt: now + NOT_FINAL_MS } satisfies Conclusion
    if (isGivenUp(reason, alike?.reason === reason ? alike.looks : 0)) {
      return { _tag: "Refused", reason } satisfies Conclusion
    }
    return { _tag: "Later", reason, dueAt: now + retryDelayOf(attempts, yield* Random.next) } satisfies Conclusion
  }
)

const concludedBy = Effect.fnUntraced(
  function*({ chain, gate }: Hub, claimed: ClaimedSettlement, looked: Ended): Effect.fn.Return<Conclusion> {
    if (looked._tag === "Waiting" || looked._tag === "Unreached") return yield* again(claimed, looked)
    if (looked._tag !== "Settled") return looked
    const now = yield* Clock.currentTimeMillis
    return { _tag: "Settled", on: { chainId: chain.id, gate }, checkAt: recheckAt(now, now) ?? now }
  }
)

/** Ends a check that made nothing ready. */
const conclude = Effect.fnUntraced(function*(hub: Hub, claimed: ClaimedSettlement, looked: Ended) {
  const settlements = yield* Settlements
  const conclusion = yield* concludedBy(hub, claimed, looked)
  yield* settlements.conclude(claimed, conclusion, yield* Clock.currentTimeMillis)
  switch (conclusion._tag) {
    case "Later":
    case "Unreached":
      return
    case "Settled":
      return yield* countSettled("settled", 1)
    case "Excluded":
      yield* countSettled("excluded", 1)
      return yield* Effect.logInfo(
        `the deposit ${claimed.deposit} was paid out by something that is neither a fill nor a refund of its order, so it cannot settle`
      )
    case "Refused":
      yield* countSettled("refused", 1)
      yield* countStuck("settlement-refused")
      return yield* Effect.logError(`the deposit ${claimed.deposit} cannot be settled: ${conclusion.reason}`)
  }
})

/** Why a check failed, as a word. */
const waits = (reason: string) => ({ _tag: "Waiting", reason }) as const
const unreached = (reason: string) => ({ _tag: "Unreached", reason }) as const

const lookAt = Effect.fnUntraced(function*(hub: Hub, threshold: number, claimed: ClaimedSettlement) {
  const looked: Looked | Ended = yield* look(hub, threshold, claimed).pipe(
    Effect.timeoutOrElse({ duration: LOOK, orElse: () => Effect.succeed(waits("timeout")) }),
    Effect.catchTags({
      ChainUnavailable: ({ chain }) => Effect.succeed(unreached(`${chain}-unavailable`)),
      EndpointsDisagree: () => Effect.succeed(waits("endpoints-disagree")),
      TooFewAnswers: () => Effect.succeed(unreached("endpoints-unavailable"))
    }),
    // After a defect it waits like any other, so that it delays nobody.
    Effect.catchDefect((defect) =>
      Effect.as(
        Effect.logError(`settling the deposit ${claimed.deposit} failed with a defect and will be retried`, defect),
        waits("defect")
      )
    )
  )
  if (looked._tag !== "Ready") return yield* Effect.as(conclude(hub, claimed, looked), undefined)
  return { claimed, ready: looked.ready }
})

type Due = { readonly claimed: ClaimedSettlement; readonly ready: Ready }

/** Stores the submission of a pack. Deposits without a free slot are due again soon. */
const keep = Effect.fnUntraced(function*({ chain, gate }: Hub, pack: ReadonlyArray<Ready>, all: ReadonlyArray<Due>) {
  const settlements = yield* Settlements
  const calls = callsOf(pack)
  const members = all.filter(({ ready }) => pack.includes(ready)).map(({ claimed }) => claimed)
  const now = yield* Clock.currentTimeMillis
  const name = id("submission", chain.slug, `${now}`, ...members.map(({ deposit }) => deposit))
  if (yield* settlements.submit({ id: name, chainId: chain.id, gate, calls, createdAt: now }, members)) {
    return yield* Effect.logInfo(
      `${members.length} deposits are submitted to ${chain.slug} in ${calls.length} executions (${name})`
    )
  }
  yield* Effect.forEach(
    members,
    (member) => settlements.conclude(member, { _tag: "Unreached", reason: "hub-busy", dueAt: now + NOT_FINAL_MS }, now),
    { discard: true }
  )
})

/** What follows a look for due deposits: the next one after a pause, or when one is due. */
type Next = { readonly _tag: "Again" } | { readonly _tag: "Due"; readonly at: number | undefined }

const soon = { _tag: "Again" } satisfies Next

const gather = Effect.fnUntraced(function*(hub: Hub, fresh: Latch.Latch, slowly: Duration.Duration) {
  // Before the store is read: a deposit that is closed meanwhile is followed by another look.
  fresh.closeUnsafe()
  const settlements = yield* Settlements
  const gate = yield* HubGate
  const now = yield* Clock.currentTimeMillis
  const at = yield* settlements.nextDue(now + Duration.toMillis(slowly))
  if (at === undefined || at > now) return { _tag: "Due", at } satisfies Next
  // No oracle is asked for signatures that could not be submitted.
  if (!(yield* settlements.hasRoom(hub.chain.id))) return soon
  const claimed = yield* settlements.claim(now, now + LEASE_MS, CLAIMED)
  if (claimed.length === 0) return soon
  const terms = yield* gate.terms(hub).pipe(Effect.catchTag("ChainUnavailable", (error) =>
    Effect.andThen(
      Effect.logWarning(`settlement.gather: ${error.message}`),
      Effect.forEach(claimed, (each) => conclude(hub, each, unreached(`${hub.chain.slug}-unavailable`)), {
        discard: true
      })
    )))
  if (terms === undefined) return soon
  const looked = yield* Effect.forEach(claimed, (each) => lookAt(hub, terms.threshold, each), {
    concurrency: "unbounded"
  })
  const due = looked.filter((each) => each !== undefined)
  const ready = due.map((each) =>
    terms.takesSeveral ? each.ready : { ...each.ready, calls: each.ready.calls.slice(0, 1), alone: true }
  )
  // Without Multicall3 a transaction has one execution: the mint first, and the rest once the hub has it.
  const dueNow = due.map((each, index) => ({ ...each, ready: ready[index] ?? each.ready }))
  yield* Effect.forEach(packed(dueNow.map((each) => each.ready)), (pack) => keep(hub, pack, dueNow), { discard: true })
  return soon
})

/** Looks whenever a deposit is due, and was closed by this process; after the slow poll in any case. */
const gatherAll = Effect.fnUntraced(function*(hub: Hub) {
  const fresh = yield* NewSettlements
  const slowly = yield* SlowPoll
  return yield* pollAfter("settlement.gather", gather(hub, fresh, slowly), (next) =>
    next._tag === "Again"
      ? Effect.sleep(EVERY)
      : Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const rest = next.at === undefined ? slowly : Duration.millis(Math.max(0, next.at - now))
        return Effect.timeoutOption(fresh.await, Duration.min(rest, slowly))
      }))
})

const SHOWN_EVERY = Duration.seconds(15)

/** How often settled deposits to recheck are looked for. */
const SELDOM = Duration.seconds(10)

/** How often it looks for deposits that a worker of an earlier version closed, which should no longer run. */
const ADOPT_EVERY = Duration.minutes(1)

/** In one run. The next run continues. */
const ADOPTED = 500

const adopt = Effect.gen(function*() {
  const settlements = yield* Settlements
  const adopted = yield* settlements.adopt(ADOPTED, yield* Clock.currentTimeMillis)
  if (adopted > 0) {
    yield* (yield* NewSettlements).open
    yield* Effect.logInfo(`${adopted} deposits that a worker of an earlier version closed will be settled, too`)
  }
  return adopted
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const { hub } = yield* SettlingHub
  // Submissions are followed to their end, whatever is configured now.
  yield* makeSubmissionTracker().pipe(pollNoticed("settlement.follow", "submissions", EVERY), Effect.forkScoped)
  yield* recheckSettled.pipe(poll("settlement.look-back", SELDOM), Effect.forkScoped)
  yield* notePositions.pipe(poll("settlement.position", POSITION_EVERY), Effect.forkScoped)
  if (hub === undefined) {
    return yield* Effect.logInfo(
      "settling is off: ORACLE_URL is not set, so fills and refunds are not submitted to a hub"
    )
  }
  yield* gatherAll(hub).pipe(Effect.forkScoped)
  yield* adopt.pipe(poll("settlement.adopt", (adopted: number) => adopted > 0 ? EVERY : ADOPT_EVERY), Effect.forkScoped)
  yield* makeSettlementBacklog().pipe(poll("settlement.show", SHOWN_EVERY), Effect.forkScoped)
}))
