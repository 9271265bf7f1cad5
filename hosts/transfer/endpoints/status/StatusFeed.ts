/**
 * Wakes the open streams of this process whose requests have changed, by one look at the store a few times a second,
 * however many streams there are. Changes are made by workers, which may be other processes, and only stored changes
 * count. While no stream is open, nothing is looked at.
 */
import { Clock, Duration, Effect, Latch } from "effect"
import type { Scope } from "effect"
import type { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { poll } from "../../../../src/services/polling/Poll.ts"
import type { Statuses } from "../../../../src/services/requests/Statuses.ts"

const EVERY_MS = 300

/** The longest pause: a comment is due every 15 s. */
const MOST_MS = 5_000

/**
 * The pause after a look that took so many milliseconds. A look takes some 10 µs for each request, and anybody with
 * enough addresses may open thousands of streams. So looks take a tenth of the time at most, or one is made in five
 * seconds.
 */
const pauseAfter = (took: number): Duration.Duration => Duration.millis(Math.min(MOST_MS, Math.max(EVERY_MS, 9 * took)))

/** Why a stream goes on. */
export type Wake = "changed" | "comment" | "closing"

export interface StatusFeed {
  /**
   * Completes when the request has a change after the sequence `seen`, when it is time for a comment (`commentAt`,
   * milliseconds), or when the host closes its streams.
   */
  readonly next: (id: RequestId, seen: number, commentAt: number) => Effect.Effect<Wake>
  /**
   * The same without a fiber: calls `wake` once, at once when the streams are already closed. Returns what ends the
   * waiting.
   */
  readonly wait: (id: RequestId, seen: number, commentAt: number, wake: (why: Wake) => void) => () => void
}

interface Waiter {
  readonly seen: number
  readonly commentAt: number
  readonly wake: (why: Wake) => void
}

/** `closing` completes when streams end. */
export const makeStatusFeed = (
  statuses: Pick<Statuses["Service"], "lastChanges">,
  closing: Effect.Effect<void>
): Effect.Effect<StatusFeed, never, Scope.Scope> =>
  Effect.gen(function*() {
    const waiting = new Map<RequestId, Set<Waiter>>()
    const anyone = Latch.makeUnsafe(false)
    let isClosing = false

    const forget = (id: RequestId, waiter: Waiter): void => {
      const ofRequest = waiting.get(id)
      ofRequest?.delete(waiter)
      if (ofRequest?.size === 0) waiting.delete(id)
      if (waiting.size === 0) anyone.closeUnsafe()
    }

    const wait: StatusFeed["wait"] = (id, seen, commentAt, wake) => {
      if (isClosing) {
        wake("closing")
        return () => {}
      }
      const waiter: Waiter = { seen, commentAt, wake }
      const ofRequest = waiting.get(id)
      if (ofRequest === undefined) waiting.set(id, new Set([waiter]))
      else ofRequest.add(waiter)
      anyone.openUnsafe()
      return () => forget(id, waiter)
    }

    const next: StatusFeed["next"] = (id, seen, commentAt) =>
      Effect.callback<Wake>((resume) => {
        const leave = wait(id, seen, commentAt, (why) => resume(Effect.succeed(why)))
        return Effect.sync(leave)
      })

    const wakeWhere = (why: Wake, isDue: (waiter: Waiter, id: RequestId) => boolean) =>
      Effect.sync(() => {
        // A woken stream leaves the set that is read here, and may wait again at once.
        for (const [id, waiters] of [...waiting]) {
          for (const waiter of [...waiters]) {
            if (!isDue(waiter, id)) continue
            forget(id, waiter)
            waiter.wake(why)
          }
        }
      })

    const look = Effect.gen(function*() {
      yield* anyone.await
      const now = yield* Clock.currentTimeMillis
      // Also while the store does not answer: comments keep the connections.
      yield* wakeWhere("comment", ({ commentAt }) => commentAt <= now)
      const last = yield* statuses.lastChanges([...waiting.keys()])
      const took = (yield* Clock.currentTimeMillis) - now
      yield* wakeWhere("changed", ({ seen }, id) => (last.get(id) ?? -1) > seen)
      return took
    })

    yield* Effect.forkScoped(poll("streams of statuses", pauseAfter)(look))
    yield* Effect.forkScoped(Effect.andThen(
      closing,
      Effect.suspend(() => {
        isClosing = true
        return wakeWhere("closing", () => true)
      })
    ))
    return { next, wait }
  })
