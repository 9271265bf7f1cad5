/**
 * The outputs of watched addresses, from the bytes of final blocks: each block is read once for all of them. The
 * explorer is asked for an address when it is first watched, again after some minutes, and then once an hour, so that
 * thousands of addresses cost no requests while nothing arrives.
 *
 * Only says where to look: a node has to have each output unspent. What is forgotten, by a restart or because too many
 * addresses are watched, is listed again.
 */
import { Clock, Effect, Exit, Result, Semaphore } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { largestFirst } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import type { Coin } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { isP2wpkh } from "../../../src/domain/families/bitcoin/spending/KeyScript.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import type { BitcoinCoins } from "../coins/ListCoins.ts"
import type { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { readHashAt, readHead, readWanted } from "../watch/Blocks.ts"
import type { ReadHead } from "../watch/Blocks.ts"

/** Some hundred bytes each. Of more, the one that was read longest ago is forgotten: each of its reads is a listing. */
const MOST_ADDRESSES = 200_000

/** The largest outputs of one address count: anybody can make more of them. */
const MOST_OUTPUTS = 500

/** Blocks of one read, which share its deadline. */
const BLOCKS_A_READ = 6n

/** After a pause of more blocks than this all addresses are listed again. */
const MOST_BEHIND = 36n

/**
 * How long a listing of the explorer is enough, and how soon one that failed is tried again. The first listing alone
 * shows what came before this process: an explorer that was behind when it started, or hid something for a moment, gets
 * a second chance soon (BITCOIN-18).
 */
const FIRST_LISTED_MS = 300_000
const LISTED_MS = 3_600_000
const AGAIN_MS = 60_000

interface Watched {
  outputs: ReadonlyMap<string, Coin>
  listing: Exit.Exit<void, ChainUnavailable>
  /** Milliseconds: when it is due again, and for how long the next one that succeeds is enough. */
  dueAt: number
  enoughFor: number
}

/** What one chain shows. */
interface Shown {
  readonly addresses: Map<string, Watched>
  /** The height up to which final blocks were read. */
  scanned: bigint
  head: ReadHead | undefined
  /** Milliseconds: when the look began that has shown this head. */
  lookedAt: number
  readonly one: Semaphore.Semaphore
}

/** Shared by all addresses to which nothing has come. */
const NONE: ReadonlyMap<string, Coin> = new Map()

const withOutputs = (known: ReadonlyMap<string, Coin>, more: ReadonlyArray<Coin>): ReadonlyMap<string, Coin> => {
  if (more.length === 0) return known
  const all = new Map([...known, ...more.map((coin) => [coinName(coin), coin] as const)])
  return all.size <= MOST_OUTPUTS
    ? all
    : new Map([...all.values()].toSorted(largestFirst).slice(0, MOST_OUTPUTS).map((coin) => [coinName(coin), coin]))
}

export const makeWatchedOutputs = (rpc: BitcoinRpc["Service"], coins: BitcoinCoins["Service"]) => {
  const chains = new Map<ChainId, Shown>()
  const shownOf = ({ id }: Chain): Shown => {
    const shown = chains.get(id) ??
      { addresses: new Map(), scanned: -1n, head: undefined, lookedAt: 0, one: Semaphore.makeUnsafe(1) }
    chains.set(id, shown)
    return shown
  }

  /** The watched outputs of some final blocks. */
  const readOutputs = (chain: Chain, { addresses }: Shown, head: ReadHead, from: bigint, to: bigint) =>
    rpc.call(
      chain,
      "outputs to deposit addresses",
      (client) =>
        client.read(Effect.fnUntraced(function*(core, deadline) {
          const isWatched = (script: Uint8Array): boolean => isP2wpkh(script) && addresses.has(hexDigits(script))
          const found: Array<readonly [script: string, coin: Coin]> = []
          for (let height = from; height <= to; height += 1n) {
            const hash = yield* readHashAt(core, head, height, deadline)
            if (hash === undefined) return yield* Effect.fail("behind" as const)
            for (const { id, outputs } of yield* readWanted(core, hash, isWatched, deadline)) {
              for (const [index, { amount, script }] of outputs.entries()) {
                if (isWatched(script)) found.push([hexDigits(script), { transactionId: id, index, amount }])
              }
            }
          }
          return found
        }))
    )

  /** `askedAt`: milliseconds. A look that began since then is shared. */
  const look = Effect.fnUntraced(function*(chain: Chain, shown: Shown, askedAt: number) {
    if (shown.head !== undefined && shown.lookedAt >= askedAt) return shown.head
    const now = yield* Clock.currentTimeMillis
    const head = yield* rpc.call(
      chain,
      "head",
      (client) => client.read((core, deadline) => readHead(core, chain, deadline))
    )
    if (shown.addresses.size === 0) shown.scanned = head.finalHeight
    // What an endpoint ahead of the chain has shown is not the chain's: its blocks are read once they are final. One that
    // is further apart is of another chain, or far behind: nothing follows from it, and addresses are listed again hourly.
    const ahead = shown.scanned - head.finalHeight
    if (ahead > 0n && ahead <= MOST_BEHIND) shown.scanned = head.finalHeight
    if (head.finalHeight - shown.scanned > MOST_BEHIND) {
      shown.addresses.clear()
      shown.scanned = head.finalHeight
    }
    while (shown.scanned < head.finalHeight) {
      const to = shown.scanned + BLOCKS_A_READ < head.finalHeight ? shown.scanned + BLOCKS_A_READ : head.finalHeight
      for (const [script, coin] of yield* readOutputs(chain, shown, head, shown.scanned + 1n, to)) {
        const watched = shown.addresses.get(script)
        if (watched !== undefined) watched.outputs = withOutputs(watched.outputs, [coin])
      }
      shown.scanned = to
    }
    shown.head = head
    shown.lookedAt = now
    return head
  })

  /** The newest block, with what final blocks have shown up to it. */
  const looked = (chain: Chain): Effect.Effect<ReadHead, ChainUnavailable> => {
    const shown = shownOf(chain)
    return Effect.flatMap(Clock.currentTimeMillis, (now) => shown.one.withPermits(1)(look(chain, shown, now)))
  }

  /** Watched from now on, before the explorer is asked: what arrives meanwhile is in a block that is read later. */
  const watch = ({ addresses }: Shown, script: string): Watched => {
    const watched = addresses.get(script) ?? { outputs: NONE, listing: Exit.void, dueAt: 0, enoughFor: FIRST_LISTED_MS }
    addresses.delete(script)
    addresses.set(script, watched)
    const [oldest] = addresses.keys()
    if (addresses.size > MOST_ADDRESSES && oldest !== undefined) addresses.delete(oldest)
    return watched
  }

  /** What the explorer names, and of what was known before, what nothing has spent. */
  const list = Effect.fnUntraced(function*(chain: Chain, address: Address, watched: Watched) {
    const named = yield* coins.named(chain, address)
    const kept = yield* coins.held(chain, address, [...watched.outputs.values()])
    watched.outputs = withOutputs(NONE, [...named, ...kept])
  })

  return Effect.fnUntraced(function*(
    chain: Chain,
    address: Address
  ): Effect.fn.Return<{ readonly outputs: ReadonlyArray<Coin>; readonly head: ReadHead }, ChainUnavailable> {
    const head = yield* looked(chain)
    const script = scriptOfAddress(address, chain.network)
    if (Result.isFailure(script)) return { outputs: [], head }
    const watched = watch(shownOf(chain), hexDigits(script.success))
    const now = yield* Clock.currentTimeMillis
    if (now >= watched.dueAt) {
      watched.listing = yield* Effect.exit(list(chain, address, watched))
      const isListed = Exit.isSuccess(watched.listing)
      watched.dueAt = now + (isListed ? watched.enoughFor : AGAIN_MS)
      if (isListed) watched.enoughFor = LISTED_MS
    }
    // What blocks have shown is swept also while the explorer cannot list the address.
    if (watched.outputs.size === 0) yield* watched.listing
    return { outputs: [...watched.outputs.values()], head }
  })
}
