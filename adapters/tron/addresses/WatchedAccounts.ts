/**
 * Which watched addresses have nothing, so that none of them has to be asked for: an address that was found empty stays
 * so until a solidified block names it (TRON-27). Each block is read once for all of them. An address that has
 * something, or was named, is asked for as before, and one that was found empty now and then: a node need not tell
 * of contracts' inner transfers.
 *
 * Where blocks would take more requests than the addresses themselves, no block is read and each address is asked for.
 * So it is after a pause, after a restart, and while blocks cannot be read for longer.
 */
import { Clock, Duration, Effect, Exit, Result, Semaphore } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { Reading } from "../../../src/domain/deposit-address/reindex/PlanReindex.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { newestSolid } from "../observe/ReadPlace.ts"
import type { TronRpc } from "../rpc/TronRpc.ts"
import { readAccountsIn } from "./BlockAccounts.ts"
import type { Holder } from "./FinalUnits.ts"

/** Fewer addresses than this are asked for each time. */
const FEW = 4

/** More than the watcher has of one chain. The one that was read longest ago is forgotten. */
const MOST = 200_000

const REQUESTS_A_BLOCK = 2n

/** Blocks of one read, which share its deadline, and blocks of a pause after which all addresses are asked for. */
const BLOCKS_A_READ = 5n
const MOST_BEHIND = 200n

/** Milliseconds. An address that was not read for longer is not watched any more. */
const FORGOTTEN_AFTER = Duration.toMillis("15 minutes")

/** How long blocks may be unreadable before each address is asked for. */
const UNREADABLE_FOR = Duration.toMillis("1 minute")

/** An empty address is asked for again after it was watched for as long again, within these bounds. */
const ASKED_AFTER = Duration.toMillis("5 minutes")
const ASKED_WITHIN = Duration.toMillis("12 hours")

interface Watched {
  /** Currencies that were found empty, and unchanged since. */
  readonly empty: Set<Currency["address"]>
  /** The height of the last block that named it; at first that of the last one that was not looked through for it. */
  namedAt: bigint
  /** Milliseconds. */
  readonly since: number
  readAt: number
  askAt: number
}

/** What one chain shows. Heights of solidified blocks. */
interface Shown {
  readonly addresses: Map<string, Watched>
  /** Each block above the first, up to the second, was read. */
  from: bigint
  scanned: bigint
  /** Milliseconds: when the last look began; how it ended, and whether it has shown another block than the one before. */
  lookedAt: number
  ended: Exit.Exit<void, ChainUnavailable>
  isNew: boolean
  /** Milliseconds: when blocks were last read, or did not have to be. */
  readAt: number
  readonly one: Semaphore.Semaphore
}

/** Spread by the address, so that those of a restart are not all asked for at once again. */
const askedAgain = (account: string, since: number, now: number): number => {
  const wait = Math.min(Math.max(now - since, ASKED_AFTER), ASKED_WITHIN)
  return now + wait + wait * (Number.parseInt(account.slice(-2), 16) / 256)
}

const tokensOf = ({ currencies }: Chain): ReadonlySet<string> =>
  new Set(currencies.flatMap(({ address, isNative }) => {
    const account = accountOfTron(address)
    return isNative || Result.isFailure(account) ? [] : [account.success.slice(2).toLowerCase()]
  }))

/** All addresses are asked for. */
const forget = (shown: Shown, height: bigint): void => {
  for (const { empty } of shown.addresses.values()) empty.clear()
  shown.from = height
  shown.scanned = height
}

const note = ({ addresses }: Shown, height: bigint, accounts: ReadonlySet<string>): void => {
  for (const account of accounts) {
    const watched = addresses.get(account)
    if (watched === undefined) continue
    watched.empty.clear()
    watched.namedAt = height
  }
}

const watch = ({ addresses, scanned }: Shown, account: string, now: number): Watched => {
  const watched = addresses.get(account) ??
    { empty: new Set(), namedAt: scanned, since: now, readAt: now, askAt: now }
  watched.readAt = now
  addresses.delete(account)
  addresses.set(account, watched)
  for (const [oldest, { readAt }] of addresses) {
    if (addresses.size <= MOST && now - readAt < FORGOTTEN_AFTER) break
    addresses.delete(oldest)
  }
  return watched
}

export const makeWatchedAccounts = (rpc: TronRpc["Service"]) => {
  const chains = new Map<ChainId, Shown>()

  const readBlocks = Effect.fnUntraced(function*(chain: Chain, shown: Shown, height: bigint) {
    const tokens = tokensOf(chain)
    while (shown.scanned < height) {
      const from = shown.scanned + 1n
      const to = shown.scanned + BLOCKS_A_READ < height ? shown.scanned + BLOCKS_A_READ : height
      const each = yield* rpc.call(
        chain,
        "accounts in blocks",
        (client) =>
          client.read((node, deadline) =>
            Effect.forEach(
              Array.from({ length: Number(to - from) + 1 }, (_, at) => from + BigInt(at)),
              (at) => readAccountsIn(node, at, tokens, deadline)
            )
          )
      )
      for (const [index, accounts] of each.entries()) note(shown, from + BigInt(index), accounts)
      shown.scanned = to
    }
  })

  const lookNow = Effect.fnUntraced(
    function*(chain: Chain, shown: Shown, now: number): Effect.fn.Return<void, ChainUnavailable> {
      const { height } = yield* rpc.call(chain, "solidified block", (client) => client.read(newestSolid))
      shown.isNew = height !== shown.scanned
      // A node ahead of the chain has shown what is not the chain's: blocks are read again as others have them.
      if (height < shown.scanned && shown.scanned - height <= MOST_BEHIND) {
        shown.scanned = height
        if (shown.from > height) shown.from = height
      }
      const behind = height - shown.scanned
      const costsMore = behind * REQUESTS_A_BLOCK > shown.addresses.size
      const read = behind < 0n || behind > MOST_BEHIND || costsMore
        ? undefined
        : yield* Effect.exit(readBlocks(chain, shown, height))
      if (read !== undefined && Exit.isFailure(read) && now - shown.readAt <= UNREADABLE_FOR) return yield* read
      if (read === undefined || Exit.isFailure(read)) forget(shown, height)
      if (read === undefined || Exit.isSuccess(read)) shown.readAt = now
    }
  )

  /**
   * A look that began after `askedAt` is shared, however it ended, and one that has shown a new block for a part of a
   * block's time.
   */
  const look = Effect.fnUntraced(
    function*(chain: Chain, shown: Shown, askedAt: number): Effect.fn.Return<void, ChainUnavailable> {
      const now = yield* Clock.currentTimeMillis
      const isFresh = Exit.isSuccess(shown.ended) && shown.isNew && now - shown.lookedAt < chain.blockTimeMs / 3
      if (shown.lookedAt < askedAt && !isFresh) {
        shown.ended = yield* Effect.exit(lookNow(chain, shown, now))
        shown.lookedAt = now
      }
      return yield* shown.ended
    }
  )

  const shownOf = ({ id }: Chain, now: number): Shown => {
    const shown = chains.get(id) ??
      {
        addresses: new Map(),
        from: -1n,
        scanned: -1n,
        lookedAt: -1,
        ended: Exit.void,
        isNew: false,
        readAt: now,
        one: Semaphore.makeUnsafe(1)
      }
    chains.set(id, shown)
    return shown
  }

  /** What an address has, of each currency: by blocks, or by `ask`. */
  return Effect.fnUntraced(
    function*<E>(
      chain: Chain,
      { evm }: Holder,
      currencies: ReadonlyArray<Currency>,
      ask: Effect.Effect<ReadonlyArray<Reading>, E>
    ): Effect.fn.Return<ReadonlyArray<Reading>, ChainUnavailable | E> {
      const now = yield* Clock.currentTimeMillis
      const shown = shownOf(chain, now)
      const account = evm.toLowerCase()
      const watched = watch(shown, account, now)
      if (shown.addresses.size < FEW) {
        forget(shown, -1n)
        return yield* ask
      }
      yield* shown.one.withPermits(1)(look(chain, shown, now))
      if (now < watched.askAt && currencies.every(({ address }) => watched.empty.has(address))) {
        const { scanned } = shown
        return currencies.map((): Reading => ({ _tag: "Read", units: 0n, height: scanned, isFinal: true }))
      }
      const readings = yield* ask
      for (const [index, { address }] of currencies.entries()) {
        const reading = readings[index]
        // No block that it does not know of may have named the address: all later ones are read, and none of them did.
        const isEmpty = reading?._tag === "Read" && reading.units === 0n &&
          reading.height >= shown.from && reading.height >= watched.namedAt
        if (isEmpty) watched.empty.add(address)
        else watched.empty.delete(address)
      }
      watched.askAt = askedAgain(account, watched.since, yield* Clock.currentTimeMillis)
      return readings
    }
  )
}
