/**
 * Notices of the store, counted by topic. While none can arrive, each second counts as a notice of every topic: then
 * whoever waits looks as often as it would without them. A new connection counts once more, for what was missed.
 */
import { Duration, Effect, Layer, Option } from "effect"
import { STORE_TOPICS, StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import type { StoreTopic } from "../../../ports/store/operations/StoreNotices.ts"
import { Notices } from "../engine/notices/Notices.ts"

const WITHOUT = Duration.seconds(1)

/** Between two attempts to connect. */
const AGAIN = Duration.seconds(2)

/** A subscription that hears nothing for so long, not even its own beginning, never will. */
const DEAF_AFTER = Duration.seconds(5)

const makeCounts = () => {
  const counts = new Map<StoreTopic, number>()
  const waiting = new Map<StoreTopic, Set<() => void>>()
  const countOf = (topic: StoreTopic) => counts.get(topic) ?? 0

  const count = (topics: ReadonlyArray<StoreTopic>): void => {
    for (const topic of topics) counts.set(topic, countOf(topic) + 1)
    // Woken after all are counted: whoever is woken goes on at once.
    const woken = topics.flatMap((topic) => [...waiting.get(topic) ?? []])
    for (const topic of topics) waiting.delete(topic)
    for (const wake of woken) wake()
  }

  const after = (topic: StoreTopic, known: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (countOf(topic) > known) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      const woken = waiting.get(topic) ?? new Set()
      waiting.set(topic, woken.add(wake))
      return Effect.sync(() => woken.delete(wake))
    })

  return { count, countOf, after }
}

export const layer = Layer.effect(
  StoreNotices,
  Effect.gen(function*() {
    const { subscribe } = yield* Notices
    const { after, count, countOf } = makeCounts()
    let hears = false

    const silence = Effect.sync(() => {
      hears = false
    })

    /** Ends with the connection. */
    const listen = Effect.gen(function*() {
      const next = yield* subscribe
      const early = yield* Effect.timeoutOption(next, DEAF_AFTER)
      if (Option.isNone(early)) {
        yield* Effect.logWarning(
          "no notifications arrive from PostgreSQL: is there a pooler in transaction mode? The store is asked each second"
        )
      }
      let words = Option.isSome(early) ? early.value : yield* next
      hears = true
      count(STORE_TOPICS)
      while (true) {
        const heard = words
        count(STORE_TOPICS.filter((topic) => heard.includes(topic)))
        words = yield* next
      }
    }).pipe(Effect.scoped, Effect.ensuring(silence))

    yield* listen.pipe(
      Effect.catch(({ reason }) =>
        Effect.logWarning(`no notifications arrive from the store: it is asked each second (${reason._tag})`)
      ),
      Effect.catchDefect((defect) => Effect.logError("listening to the store met a defect", defect)),
      Effect.andThen(Effect.sleep(AGAIN)),
      Effect.forever,
      Effect.forkScoped
    )
    yield* Effect.sleep(WITHOUT).pipe(
      Effect.andThen(Effect.sync(() => hears || count(STORE_TOPICS))),
      Effect.forever,
      Effect.forkScoped
    )

    return StoreNotices.of({ heard: (topic) => Effect.sync(() => countOf(topic)), after })
  })
)
