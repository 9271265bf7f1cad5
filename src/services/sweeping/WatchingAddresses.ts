/**
 * Sees what comes to deposit addresses: their balances are read with every block while they are young, less often later,
 * and after a week only when somebody asks for it (`Reindexing`). A balance shows money however it came, by a contract's
 * inner call too, and nothing else is concluded from it than a sweep.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Chains } from "../../../ports/Chains.ts"
import { DepositAddresses } from "../../../ports/DepositAddresses.ts"
import type { KeptAddress } from "../../../ports/DepositAddresses.ts"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import { findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isHalted } from "../Halting.ts"
import { persistently } from "../Persistently.ts"
import { pollInterval } from "../PollInterval.ts"
import { queueSweeps, readBalances } from "./QueueSweeps.ts"

/** How long after it was made, or last swept, an address is looked at, and how often. */
interface Pace {
  readonly age: Duration.Duration
  readonly every: (chain: Chain) => Duration.Duration
}

/** The quickest first. */
const paces: ReadonlyArray<Pace> = [
  { age: Duration.hours(1), every: pollInterval },
  { age: Duration.days(1), every: () => Duration.seconds(15) },
  { age: Duration.days(7), every: () => Duration.minutes(5) }
]

/** Of each pace; the newest. What is beyond is seen by a slower one, or a reindex. */
const MOST_ADDRESSES = 5_000

/** Reads of one turn travel in one request to the endpoint. */
const CONCURRENCY = 50

/** What is not worth its sweep is priced again after so long, or once there is more of it. */
const REST_MS = 60_000

interface Resting {
  readonly units: bigint
  /** Milliseconds. */
  readonly until: number
}

/** One look at an address for what it was made for; what it answers is not worth its sweep. */
const look = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress, resting: Resting | undefined) {
  const currency = findCurrency(chain, kept.currency)
  if (currency === undefined) return undefined
  const balances = yield* readBalances(kept, chain, [currency])
  const [balance] = balances
  const now = yield* Clock.currentTimeMillis
  if (balance?.reading._tag !== "Read" || balance.reading.units === 0n) return undefined
  if (resting !== undefined && resting.units === balance.reading.units && resting.until > now) return resting
  const { waiting: [waits] } = yield* queueSweeps(kept, chain, balances)
  return waits === undefined ? undefined : { units: waits.units, until: now + REST_MS } satisfies Resting
  // Read before the last sweep: the next look reads it anew.
}, Effect.catchTag("ReindexRefused", () => Effect.undefined))

/** Those of a pace that no quicker one looks at: two looks at once would make two requests of one deposit. */
const addressesOf = Effect.fnUntraced(function*(chain: Chain, { age }: Pace, quicker: Pace | undefined) {
  const addresses = yield* DepositAddresses
  const now = yield* Clock.currentTimeMillis
  const recent = (of: Duration.Duration) => addresses.recent(chain.id, now - Duration.toMillis(of), MOST_ADDRESSES)
  const watched = quicker === undefined ? [] : yield* recent(quicker.age)
  const skipped = new Set(watched.map(({ address }) => address))
  return (yield* recent(age)).filter(({ address }) => !skipped.has(address))
})

const watch = (chain: Chain, pace: Pace, quicker: Pace | undefined) => {
  let resting: ReadonlyMap<string, Resting> = new Map()
  let seen: string | undefined
  const lookAtAll = Effect.gen(function*() {
    if (yield* isHalted([chain.id])) return
    const watcher = yield* DepositWatcher
    const recent = yield* addressesOf(chain, pace, quicker)
    if (recent.length === 0) return
    const { hash } = yield* watcher.head(chain)
    if (hash === seen) return
    const found = yield* Effect.forEach(recent, (kept) => Effect.result(look(chain, kept, resting.get(kept.address))), { concurrency: CONCURRENCY })
    resting = new Map(recent.flatMap(({ address }, index) => {
      const rest = found[index]
      return rest !== undefined && Result.isSuccess(rest) && rest.success !== undefined ? [[address, rest.success] as const] : []
    }))
    // One that fails keeps no other from being seen; the block is then looked at again.
    const [failure] = found.flatMap((each) => Result.isFailure(each) ? [each.failure] : [])
    if (failure !== undefined) return yield* failure
    seen = hash
  })
  return lookAtAll.pipe(persistently(`deposit addresses on ${chain.slug}`), Effect.andThen(Effect.sleep(pace.every(chain))), Effect.forever)
}

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  const served = chains.all.filter(({ depositAddresses }) => depositAddresses !== undefined)
  yield* Effect.forEach(served, (chain) => Effect.forEach(paces, (pace, index) => Effect.forkScoped(watch(chain, pace, paces[index - 1])), { discard: true }), { discard: true })
}))
