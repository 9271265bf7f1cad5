/**
 * Watches the balances of deposit addresses: with every block while they are new, less often later, and after a week
 * only on request (`Reindexing`). A balance shows money however it came, also by a contract's inner call. Nothing but a
 * sweep follows from it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { AddressPlace, KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { seemsHalted } from "../deposits/halt/Halting.ts"
import { Followers } from "../following/Followers.ts"
import { after, again, lookUntil, whenMoved } from "../following/LookUntil.ts"
import { poll } from "../polling/Poll.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { checkAddress } from "./CheckAddress.ts"
import type { Resting } from "./CheckAddress.ts"

/** How often an address is checked, by the time since it was made or last swept. */
interface Pace {
  readonly age: Duration.Duration
  readonly every: Duration.Duration | "block"
}

/** Shortest interval first. */
const paces: ReadonlyArray<Pace> = [
  { age: Duration.hours(1), every: "block" },
  { age: Duration.days(1), every: Duration.seconds(15) },
  { age: Duration.days(7), every: Duration.minutes(5) }
]

/** The most addresses of one turn. When there are more, they are checked turn by turn, newest first. */
const MOST_ADDRESSES = 5_000

/**
 * Addresses that are checked together. Where a chain can be asked for a hundred balances at once, that is five requests
 * in flight, so a turn of the most addresses lasts ten round trips. Families without such requests have bounds of their
 * own.
 */
const CONCURRENCY = 500

/** One pass over all addresses of a pace. */
interface Round {
  /** The newest block when it began. */
  readonly hash: string
  /** The last address that was checked. Undefined in the first turn. */
  readonly after: AddressPlace | undefined
  /** True when every check of the pass has succeeded. */
  readonly complete: boolean
}

/** The next addresses of a pace, without those of a quicker pace. */
const nextOf = Effect.fnUntraced(
  function*(chain: Chain, { age }: Pace, quicker: Pace | undefined, after: AddressPlace | undefined) {
    const addresses = yield* DepositAddresses
    const now = yield* Clock.currentTimeMillis
    const touched = {
      since: now - Duration.toMillis(age),
      until: quicker === undefined ? undefined : now - Duration.toMillis(quicker.age)
    }
    return yield* addresses.recent(chain.id, touched, after, MOST_ADDRESSES)
  }
)

/** As the chain's follower knows it: whoever is woken by a block has no need to ask for it again. */
const newest = Effect.fnUntraced(function*(chain: Chain) {
  const followers = yield* Followers
  return (yield* followers.seen(chain, "watches")).head ?? (yield* (yield* DepositWatcher).head(chain))
})

const watch = (chain: Chain, pace: Pace, quicker: Pace | undefined, looking: Set<Address>) => {
  let resting: ReadonlyMap<Address, Resting> = new Map()
  let isWatching = false
  /** The newest block when the last complete pass began. */
  let seen: string | undefined
  let round: Round | undefined

  const lookAtAll = Effect.fnUntraced(function*(addresses: ReadonlyArray<KeptAddress>) {
    const found = yield* Effect.forEach(
      addresses,
      (kept) => Effect.result(checkAddress(looking, chain, kept, resting.get(kept.address))),
      { concurrency: CONCURRENCY }
    )
    const now = yield* Clock.currentTimeMillis
    const looked = new Set(addresses.map(({ address }) => address))
    resting = new Map([
      ...[...resting].filter(([address, { until }]) => until > now && !looked.has(address)),
      ...addresses.flatMap(({ address }, index) => {
        const rest = found[index]
        return rest !== undefined && Result.isSuccess(rest) && rest.success !== undefined
          ? [[address, rest.success] as const]
          : []
      })
    ])
    return found.flatMap((each) => Result.isFailure(each) ? [each.failure] : [])
  })

  const turn = Effect.gen(function*() {
    // A sweep that is queued all the same is signed only while its chain is not halted.
    if (yield* seemsHalted([chain.id])) return
    const next = Effect.suspend(() => nextOf(chain, pace, quicker, round?.after))
    // The store is not asked again about a block that was seen, and the endpoint is not asked while nothing waits.
    const early = round === undefined && isWatching ? undefined : yield* next
    if (round === undefined && early?.addresses.length === 0) return
    const { complete, hash } = round ?? { ...yield* newest(chain), complete: true }
    if (round === undefined && hash === seen) return
    const page = early ?? (yield* next)
    isWatching = page.addresses.length > 0
    const [failure] = yield* lookAtAll(page.addresses)
    const current = { hash, after: page.next, complete: complete && failure === undefined }
    round = page.next === undefined ? undefined : current
    if (round === undefined) seen = current.complete ? hash : undefined
    // A failure delays no other address; the block is then checked again.
    if (failure !== undefined) return yield* failure
  })
  const name = `deposit addresses on ${chain.slug}` as const
  /** While there is none, neither the store nor the chain is asked until a notice comes, or the slow poll. */
  const look = Effect.gen(function*() {
    const notices = yield* StoreNotices
    // Before the store is read: what is written meanwhile is read by the next look.
    const heard = yield* notices.heard("deposit-addresses")
    yield* turn.pipe(retryForever(name))
    if (round !== undefined) return after(pollInterval(chain))
    if (isWatching) return whenMoved
    yield* Effect.timeoutOption(notices.after("deposit-addresses", heard), yield* SlowPoll)
    return again
  })
  return pace.every === "block" ? lookUntil(chain, () => look, "watches") : turn.pipe(poll(name, pace.every))
}

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  const served = chains.all.filter(({ depositAddresses }) => depositAddresses !== undefined)
  yield* Effect.forEach(served, (chain) => {
    const looking = new Set<Address>()
    return Effect.forEach(paces, (pace, index) => Effect.forkScoped(watch(chain, pace, paces[index - 1], looking)), {
      discard: true
    })
  }, { discard: true })
}))
