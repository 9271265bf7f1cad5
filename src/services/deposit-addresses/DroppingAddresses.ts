/**
 * Deletes the quotes of unpaid deposit addresses, after a last reading of every currency on every chain of the family.
 * All of them must be read, in a block at least as new as the final block when the walk began, and hold nothing but
 * dust. Without the dust rule a stranger could keep every quote for ever at almost no cost.
 *
 * Later deposits are found by a reindex, which knows dropped addresses too. Addresses of former factories are not
 * dropped: there anybody may sweep, and a sweep under the order must find its order.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { UnpaidAddresses } from "../../../ports/store/operations/UnpaidAddresses.ts"
import type { UnpaidAddress } from "../../../ports/store/operations/UnpaidAddresses.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isOfFormerFactory } from "../../domain/deposit-address/FactoryOf.ts"
import { mayDrop, youngestUnpaidAddress } from "../../domain/transfer/Retention.ts"
import { isHalted } from "../deposits/halt/Halting.ts"
import { scannedTimes } from "../deposits/watch/ScannedUntil.ts"
import { isDustOf, readBalances } from "./QueueSweeps.ts"
import type { ReadBalance } from "./QueueSweeps.ts"

/** Addresses that are read and dropped together, and the most such batches of a walk. The next walk continues. */
const BATCH = 50
const BATCHES = 400
const BETWEEN_BATCHES = Duration.millis(200)

/** A chain, with the height from which a reading of it counts. */
interface Readable {
  readonly chain: Chain
  readonly final: bigint
}

/** Undefined when the chain is halted or does not say what is final. */
const readable = Effect.fnUntraced(function*(chain: Chain) {
  const watcher = yield* DepositWatcher
  if (yield* isHalted([chain.id])) return undefined
  const { newest } = yield* watcher.finality(chain, undefined)
  return newest === undefined ? undefined : { chain, final: newest.height } satisfies Readable
}, Effect.orElseSucceed(() => undefined))

/** True when every currency that the chain's addresses accept was read and holds nothing or only dust. */
const isEmptyOn = Effect.fnUntraced(function*({ chain, final }: Readable, { kept }: UnpaidAddress) {
  const balances = yield* readBalances(kept, chain, chain.currencies)
  const isNothing = (balance: ReadBalance) => {
    const { reading } = balance
    if (reading._tag === "Unread") return Effect.succeed(reading.untaken === true)
    if (reading.height < final) return Effect.succeed(false)
    return reading.units === 0n ? Effect.succeed(true) : isDustOf(kept, chain, balance)
  }
  const nothing = yield* Effect.forEach(balances, isNothing)
  return balances.some(({ reading }) => reading._tag === "Read") && nothing.every((is) => is)
}, Effect.orElseSucceed(() => false))

/** Returns how many were dropped. Each walk continues where the last one ended, and starts over at the end. */
export const makeDropAddresses = () => {
  let after: UnpaidAddress | undefined
  return Effect.gen(function*() {
    const { all } = yield* Chains
    const unpaid = yield* UnpaidAddresses
    const now = yield* Clock.currentTimeMillis
    const first = yield* unpaid.list(youngestUnpaidAddress(now), after, BATCH)
    if (first.length === 0) {
      after = undefined
      return 0
    }
    const scanned = yield* scannedTimes()
    const served = all.filter(({ depositAddresses }) => depositAddresses !== undefined)
    const readables = new Map(
      yield* Effect.forEach(served, (chain) => Effect.map(readable(chain), (found) => [chain.id, found] as const), {
        concurrency: "unbounded"
      })
    )
    /** Undefined while one of them cannot be read. */
    const chainsOf = ({ kept: { chainId } }: UnpaidAddress) => {
      const family = findChain(all, chainId)?.family.name
      const found = served.filter((chain) => chain.family.name === family).map(({ id }) => readables.get(id))
      const known = found.filter((each) => each !== undefined)
      return family === undefined || known.length === 0 || known.length < found.length ? undefined : known
    }
    const isFormer = ({ kept }: UnpaidAddress) => served.some((chain) => isOfFormerFactory(chain, kept))
    const dropOne = Effect.fnUntraced(function*(each: UnpaidAddress) {
      const chains = mayDrop(each, now, scanned) && !isFormer(each) ? chainsOf(each) : undefined
      if (chains === undefined) return false
      const empty = yield* Effect.forEach(chains, (chain) => isEmptyOn(chain, each))
      return empty.every((is) => is) && (yield* unpaid.drop(each, now))
    })
    let dropped = 0
    let page: ReadonlyArray<UnpaidAddress> = first
    for (let batches = 0; batches < BATCHES; batches += 1) {
      const gone = yield* Effect.forEach(page, dropOne, { concurrency: BATCH })
      dropped += gone.filter((is) => is).length
      after = page.at(-1)
      if (page.length < BATCH) {
        after = undefined
        break
      }
      yield* Effect.sleep(BETWEEN_BATCHES)
      page = yield* unpaid.list(youngestUnpaidAddress(now), after, BATCH)
      if (page.length === 0) {
        after = undefined
        break
      }
    }
    return dropped
  })
}
