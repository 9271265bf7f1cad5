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
import { queueSweeps } from "./QueueSweeps.ts"

/** How long after it was made, or last swept, an address is looked at, and how often. */
interface Pace {
  readonly age: Duration.Duration
  readonly every: (chain: Chain) => Duration.Duration
}

const paces: ReadonlyArray<Pace> = [
  { age: Duration.hours(1), every: pollInterval },
  { age: Duration.days(1), every: () => Duration.seconds(15) },
  { age: Duration.days(7), every: () => Duration.minutes(5) }
]

/** Of each pace; the newest. What is beyond is seen by a slower one, or a reindex. */
const MOST_ADDRESSES = 5_000

/** Reads of one turn travel in one request to the endpoint. */
const CONCURRENCY = 50

/** What is not worth its sweep is looked at again after so long. */
const REST_MS = 60_000

/** One look at an address for what it was made for; true when something lies there that is not worth its sweep. */
const look = Effect.fnUntraced(function*(chain: Chain, kept: KeptAddress) {
  const currency = findCurrency(chain, kept.currency)
  if (currency === undefined) return false
  const plan = yield* queueSweeps(kept, chain, [currency])
  return plan.waiting.length > 0
  // Unread: the next look reads it.
}, Effect.catchTag("ReindexRefused", () => Effect.succeed(false)))

const watch = (chain: Chain, { age, every }: Pace) => {
  const resting = new Map<string, number>()
  let seen: string | undefined
  const lookAtAll = Effect.gen(function*() {
    if (yield* isHalted([chain.id])) return
    const watcher = yield* DepositWatcher
    const addresses = yield* DepositAddresses
    const now = yield* Clock.currentTimeMillis
    const recent = yield* addresses.recent(chain.id, now - Duration.toMillis(age), MOST_ADDRESSES)
    if (recent.length === 0) return
    const { hash } = yield* watcher.head(chain)
    if (hash === seen) return
    for (const [address, until] of resting) if (until <= now) resting.delete(address)
    const due = recent.filter(({ address }) => !resting.has(address))
    const found = yield* Effect.forEach(due, (kept) => Effect.result(look(chain, kept)), { concurrency: CONCURRENCY })
    for (const [index, waits] of found.entries()) {
      const address = due[index]?.address
      if (address !== undefined && Result.isSuccess(waits) && waits.success) resting.set(address, now + REST_MS)
    }
    // One that fails keeps no other from being seen; the block is then looked at again.
    const [failure] = found.flatMap((each) => Result.isFailure(each) ? [each.failure] : [])
    if (failure !== undefined) return yield* failure
    seen = hash
  })
  return lookAtAll.pipe(persistently(`deposit addresses on ${chain.slug}`), Effect.andThen(Effect.sleep(every(chain))), Effect.forever)
}

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  const served = chains.all.filter(({ depositAddresses }) => depositAddresses !== undefined)
  yield* Effect.forEach(served, (chain) => Effect.forEach(paces, (pace) => Effect.forkScoped(watch(chain, pace)), { discard: true }), { discard: true })
}))
