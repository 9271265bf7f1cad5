/**
 * One follower a chain and process: it reads the newest block and the final height, and wakes whoever waits for them.
 * So the requests of an idle chain do not grow with what is in flight. It reads once a poll interval while anybody
 * waits for something on the chain. Otherwise it rests after a block as long as the next one is not due (`BlockPace`).
 *
 * SECURITY: a follower may wake or delay, never decide. It believes one endpoint, so whoever is woken looks for itself,
 * and nobody waits for it longer than `slowBound`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor, Heads } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import { pollAfter } from "../polling/Poll.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { makeBlockPace } from "./BlockPace.ts"

/** What a follower had seen at some moment. */
export interface Seen {
  /** Grows with each change. */
  readonly version: number
  /** Blocks up to this height were final. −1 before the first reading. */
  readonly finalHeight: bigint
  /** The newest block. Undefined before the first reading. */
  readonly head: Cursor | undefined
}

/**
 * Why somebody looks at a chain. Whoever waits for something acts on what it finds, so an action may rely on the chain's
 * final blocks. Whoever watches does not.
 */
export type Purpose = "waits" | "watches"

/** What a wait is for, beside any change. */
export interface Until {
  /** A change wakes only once blocks up to this height are final. */
  readonly finalHeight?: bigint | undefined
  /** The look has seen this block as the newest one. Only another one wakes. */
  readonly beyond?: Cursor | undefined
}

export class Followers extends Context.Service<Followers, {
  /** Read it before a look. What changes during the look then ends the wait after it at once. */
  readonly seen: (chain: Chain, purpose: Purpose) => Effect.Effect<Seen>
  /**
   * Returns when the newest block or the final height is no longer the one in `since`, and after `slowBound` in any
   * case.
   */
  readonly moved: (chain: Chain, since: Seen, until?: Until) => Effect.Effect<void>
  /** When somebody who waits for something has last looked, milliseconds. Undefined when nobody ever has. */
  readonly waitedAt: (chain: Chain) => Effect.Effect<number | undefined>
}>()("causeway/services/Followers") {}

/**
 * The longest wait: an endpoint that fails, stands still or lies about its head holds nothing up for longer, and a
 * payment that nodes have lost is broadcast again.
 */
export const slowBound = ({ blockTimeMs }: Chain): Duration.Duration =>
  Duration.millis(Math.max(2_000, 2 * blockTimeMs))

/** How many waits end at a time, and the pause between. The looks of thousands reach the endpoints as a stream. */
const AT_ONCE = 64
const BETWEEN = Duration.millis(5)

/** So many slow bounds after the last look of somebody who waits, nobody does: whoever waits looks once in each. */
const NEEDED_FOR = 2

interface Waiter extends Until {
  readonly since: number
  readonly woken: Deferred.Deferred<void>
}

const isSame = (one: Heads, other: Heads): boolean =>
  one.height === other.height && one.hash === other.hash && one.finalHeight === other.finalHeight

const makeFollower = (chain: Chain) => {
  const waiters = new Set<Waiter>()
  let heads: Heads | undefined
  let version = 0
  let waitedAt: number | undefined
  const pace = makeBlockPace(chain)
  const interval = pollInterval(chain)
  const needed = Latch.makeUnsafe(false)

  const isDue = ({ beyond, finalHeight = -1n, since }: Waiter): boolean =>
    version !== since && finalHeight <= (heads?.finalHeight ?? -1n) &&
    (heads === undefined || beyond === undefined || heads.height !== beyond.height || heads.hash !== beyond.hash)

  const wake = Effect.gen(function*() {
    const due = [...waiters].filter(isDue)
    for (let from = 0; from < due.length; from += AT_ONCE) {
      if (from > 0) yield* Effect.sleep(BETWEEN)
      for (const { woken } of due.slice(from, from + AT_ONCE)) Deferred.doneUnsafe(woken, Effect.void)
    }
  })

  /** True when there is something new. */
  const turn = Effect.gen(function*() {
    const watcher = yield* DepositWatcher
    const read = yield* watcher.heads(chain, "endpoint")
    const before = heads
    if (before !== undefined && isSame(before, read)) return false
    heads = read
    version += 1
    if (before?.height !== read.height || before.hash !== read.hash) {
      pace.note(read.height, yield* Clock.currentTimeMillis)
    }
    yield* wake
    return true
  })

  const isNeeded = (now: number): boolean =>
    waitedAt !== undefined && now >= waitedAt && now - waitedAt < NEEDED_FOR * Duration.toMillis(slowBound(chain))

  /**
   * A change counts once more a poll interval later: behind one address may be several nodes, and the look that a
   * change woke may have reached one that did not have the block yet.
   */
  const rest = Effect.fnUntraced(function*(isChange: boolean) {
    yield* Effect.sleep(interval)
    if (isChange) {
      version += 1
      yield* wake
    }
    const now = yield* Clock.currentTimeMillis
    const calm = pace.calmUntil() - now
    if (calm <= 0 || isNeeded(now)) return
    needed.closeUnsafe()
    yield* Effect.timeoutOption(needed.await, Duration.millis(calm))
  })

  return {
    run: pollAfter(`heads of ${chain.slug}`, turn, rest),
    seen: (purpose: Purpose) =>
      Clock.clockWith((clock) =>
        Effect.sync((): Seen => {
          if (purpose === "waits") {
            waitedAt = clock.currentTimeMillisUnsafe()
            needed.openUnsafe()
          }
          return { version, finalHeight: heads?.finalHeight ?? -1n, head: heads }
        })
      ),
    waitedAt: Effect.sync(() => waitedAt),
    moved: (since: Seen, until: Until) =>
      Effect.suspend(() => {
        const waiter: Waiter = { ...until, since: since.version, woken: Deferred.makeUnsafe() }
        if (isDue(waiter)) return Effect.void
        waiters.add(waiter)
        return Deferred.await(waiter.woken).pipe(
          Effect.timeoutOption(slowBound(chain)),
          Effect.ensuring(Effect.sync(() => waiters.delete(waiter))),
          Effect.asVoid
        )
      })
  }
}

/** The follower of a chain starts when it is first asked, and ends with the layer. */
export const layer = Layer.effect(
  Followers,
  Effect.gen(function*() {
    const context = yield* Effect.context<DepositWatcher>()
    const scope = yield* Effect.scope
    const followers = new Map<ChainId, ReturnType<typeof makeFollower>>()

    const started = (chain: Chain) =>
      Effect.suspend(() => {
        const known = followers.get(chain.id)
        if (known !== undefined) return Effect.succeed(known)
        const follower = makeFollower(chain)
        followers.set(chain.id, follower)
        // Not in the context of whoever asked first: its trace and annotations are not the follower's.
        return follower.run.pipe(
          Effect.updateContext((_: Context.Context<never>) => context),
          Effect.forkIn(scope),
          Effect.as(follower)
        )
      }).pipe(Effect.uninterruptible)

    return Followers.of({
      seen: (chain, purpose) => Effect.flatMap(started(chain), ({ seen }) => seen(purpose)),
      moved: (chain, since, until = {}) => Effect.flatMap(started(chain), ({ moved }) => moved(since, until)),
      waitedAt: (chain) => Effect.flatMap(started(chain), ({ waitedAt }) => waitedAt)
    })
  })
)
