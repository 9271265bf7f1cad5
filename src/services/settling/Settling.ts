/**
 * Makes deposits the solver's on the hub once they were filled or refunded for good: looks at those that are due, gathers what
 * oracles sign, submits several at once, and follows each submission until the hub has it in a final block.
 *
 * What keeps one from being settled does not keep another; what cannot be settled now is looked at again, ever more seldom.
 * SECURITY: nothing is paid by settling but gas, and the gate carries out an execution once, however often it is submitted.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { HubGate } from "../../../ports/HubGate.ts"
import type { Hub } from "../../../ports/SettlingHub.ts"
import { SettlingHub } from "../../../ports/SettlingHub.ts"
import { Settlements } from "../../../ports/Settlements.ts"
import type { ClaimedSettlement, Submission } from "../../../ports/Settlements.ts"
import { lookAgainAfter } from "../../domain/settling/LookAgain.ts"
import { callsOf, packed } from "../../domain/settling/Packing.ts"
import type { Ready } from "../../domain/settling/Packing.ts"
import { id } from "../../domain/settlement/ProtocolId.ts"
import { countSettled, countStuck, noteSettlementAge, noteSettlements } from "../Meters.ts"
import { persistently } from "../Persistently.ts"
import type { Transient } from "../Persistently.ts"
import { look } from "./Gathering.ts"
import type { Looked } from "./Gathering.ts"
import { notePosition, POSITION_EVERY } from "./HubPosition.ts"
import { submit } from "./Submitting.ts"

/** How often it is looked whether something is due. */
const EVERY = Duration.millis(500)

/** Looked at together, and as many that wait for oracles at the same time. */
const CLAIMED = 32

/**
 * For one look. Beyond its lease another worker may look at the same deposit, so nothing of a look outlives this: asking
 * oracles has a deadline of its own that is far below it.
 */
const LOOK = Duration.seconds(45)
const LEASE_MS = 60_000

/** What can be read again at once is no reason to wait long. */
const NOT_FINAL_MS = 2_000

/** Ends a look that did not make anything ready. */
const conclude = Effect.fnUntraced(function*(claimed: ClaimedSettlement, looked: Exclude<Looked, { readonly _tag: "Ready" }>) {
  const settlements = yield* Settlements
  const now = yield* Clock.currentTimeMillis
  if (looked._tag === "Waiting") {
    const wait = looked.reason === "hub-not-final" ? NOT_FINAL_MS : lookAgainAfter(claimed.attempts, yield* Random.next)
    return yield* settlements.conclude(claimed, { _tag: "Later", reason: looked.reason, dueAt: now + wait }, now)
  }
  yield* settlements.conclude(claimed, looked, now)
  switch (looked._tag) {
    case "Settled":
      return yield* countSettled("settled", 1)
    case "Excluded":
      yield* countSettled("excluded", 1)
      return yield* Effect.logInfo(`the deposit ${claimed.deposit} was answered by what is no fill or refund of its order: nothing settles it`)
    case "Refused":
      yield* countSettled("refused", 1)
      yield* countStuck("settlement-refused")
      return yield* Effect.logError(`the deposit ${claimed.deposit} cannot be settled: ${looked.reason}`)
  }
})

/** Why a look failed, as a word. */
const waits = (reason: string): Looked => ({ _tag: "Waiting", reason })

const lookAt = Effect.fnUntraced(function*(hub: Hub, threshold: number, claimed: ClaimedSettlement) {
  const looked: Looked = yield* look(hub, threshold, claimed).pipe(
    Effect.timeoutOrElse({ duration: LOOK, orElse: () => Effect.succeed(waits("timeout")) }),
    Effect.catchTags({
      ChainUnavailable: ({ chain }) => Effect.succeed(waits(`${chain}-unavailable`)),
      EndpointsDisagree: () => Effect.succeed(waits("endpoints-disagree")),
      TooFewAnswers: () => Effect.succeed(waits("endpoints-unavailable"))
    }),
    // One that meets a defect waits like any other: it must not keep the rest from being settled.
    Effect.catchDefect((defect) => Effect.as(Effect.logError(`settling the deposit ${claimed.deposit} met a defect and will be tried again`, defect), waits("defect")))
  )
  if (looked._tag !== "Ready") return yield* Effect.as(conclude(claimed, looked), undefined)
  return { claimed, ready: looked.ready }
})

type Due = { readonly claimed: ClaimedSettlement; readonly ready: Ready }

/** Keeps a submission of a pack; what finds no slot is due again soon. */
const keep = Effect.fnUntraced(function*({ chain }: Hub, pack: ReadonlyArray<Ready>, all: ReadonlyArray<Due>) {
  const settlements = yield* Settlements
  const calls = callsOf(pack)
  const members = all.filter(({ ready }) => pack.includes(ready)).map(({ claimed }) => claimed)
  const now = yield* Clock.currentTimeMillis
  const name = id("submission", chain.slug, `${now}`, ...members.map(({ deposit }) => deposit))
  if (yield* settlements.submit({ id: name, chainId: chain.id, calls, createdAt: now }, members)) {
    return yield* Effect.logInfo(`${members.length} deposits are submitted to ${chain.slug} in ${calls.length} executions (${name})`)
  }
  yield* Effect.forEach(members, (member) =>
    settlements.conclude(member, { _tag: "Later", reason: "hub-busy", dueAt: now + NOT_FINAL_MS }, now), { discard: true })
})

const gather = Effect.fnUntraced(function*(hub: Hub) {
  const settlements = yield* Settlements
  const gate = yield* HubGate
  const now = yield* Clock.currentTimeMillis
  // Nobody is asked for signatures that could not be submitted.
  if (!(yield* settlements.hasRoom)) return
  const claimed = yield* settlements.claim(now, now + LEASE_MS, CLAIMED)
  if (claimed.length === 0) return
  const terms = yield* gate.terms(hub).pipe(
    Effect.tapError(() => Effect.forEach(claimed, (each) => conclude(each, { _tag: "Waiting", reason: `${hub.chain.slug}-unavailable` }), { discard: true }))
  )
  const looked = yield* Effect.forEach(claimed, (each) => lookAt(hub, terms.threshold, each), { concurrency: "unbounded" })
  const due = looked.filter((each) => each !== undefined)
  const ready = due.map((each) => terms.takesSeveral ? each.ready : { ...each.ready, calls: each.ready.calls.slice(0, 1), alone: true })
  // Without Multicall3 a transaction has one execution: the mint first, and the rest once the hub has it.
  const dueNow = due.map((each, index) => ({ ...each, ready: ready[index] ?? each.ready }))
  yield* Effect.forEach(packed(dueNow.map((each) => each.ready)), (pack) => keep(hub, pack, dueNow), { discard: true })
})

/** Each submission is followed by one fiber of this process, also after a restart. */
const makeFollow = (hub: Hub) => {
  const followed = new Set<Submission["id"]>()
  return Effect.gen(function*() {
    const settlements = yield* Settlements
    for (const submission of (yield* settlements.underWay).filter((each) => each.chainId === hub.chain.id && !followed.has(each.id))) {
      followed.add(submission.id)
      yield* submit(hub, submission).pipe(
        persistently("settlement.submit"),
        Effect.ensuring(Effect.sync(() => followed.delete(submission.id))),
        Effect.forkScoped
      )
    }
  })
}

const SHOWN_EVERY = Duration.seconds(3)

/** Beyond this somebody should see what keeps deposits from being settled. */
const OVERDUE_MS = 3_600_000

const makeShow = () => {
  let isOverdue = false
  return Effect.gen(function*() {
    const settlements = yield* Settlements
    const all = yield* settlements.open
    const now = yield* Clock.currentTimeMillis
    for (const state of ["open", "submitted", "refused"] as const) {
      const found = all.find((each) => each.state === state)
      yield* noteSettlements(state, found?.count ?? 0)
      yield* noteSettlementAge(state, found === undefined ? 0 : Math.max(0, Math.floor((now - found.oldest) / 1_000)))
    }
    const late = all.find(({ oldest, state }) => state !== "refused" && now - oldest > OVERDUE_MS)
    if (late !== undefined && !isOverdue) {
      yield* countStuck("settlement-overdue")
      yield* Effect.logError(`deposits are not settled since ${new Date(late.oldest).toISOString()}: ${late.count} are ${late.state}`)
    }
    isOverdue = late !== undefined
  })
}

const forever = <E extends Transient, R>(step: string, run: Effect.Effect<void, E, R>, rest: Duration.Duration) =>
  run.pipe(persistently(step), Effect.andThen(Effect.sleep(rest)), Effect.forever, Effect.forkScoped)

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const { hub } = yield* SettlingHub
  if (hub === undefined) return yield* Effect.logInfo("settling is off: without ORACLE_URL what is filled and refunded is not submitted to a hub")
  yield* forever("settlement.gather", gather(hub), EVERY)
  yield* forever("settlement.follow", makeFollow(hub), EVERY)
  yield* forever("settlement.show", makeShow(), SHOWN_EVERY)
  yield* forever("settlement.position", notePosition(hub), POSITION_EVERY)
}))
