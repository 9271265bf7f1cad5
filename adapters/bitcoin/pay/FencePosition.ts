/**
 * Which coins of the account payments that were signed by now may still spend: each node's own set of unspent outputs
 * lists them, and its blocks show which of them final transactions have spent.
 *
 * SECURITY: a store that was restored from a backup pays again what it believes unpaid, so a coin that is hidden here
 * can be paid out twice (BITCOIN-16). No explorer is asked. What counts is how far as many hosts as the quorum needs
 * have come, so fewer liars than that hide no coin, and honest ones in that number do not wait for a liar.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { AccountPosition } from "../../../ports/chain/SentTransactions.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import type { PaymentForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { usual } from "../../endpoints/AskEndpoint.ts"
import { readPosition } from "../../endpoints/sent/SentRead.ts"
import { readUnspent } from "../coins/ListCoins.ts"
import { readScan } from "../coins/ScanCoins.ts"
import type { ListedAt } from "../coins/ScanCoins.ts"
import { canonical } from "../observe/ReadPlace.ts"
import type { BitcoinClient, BitcoinFault, BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import type { ReadHead } from "../watch/Blocks.ts"
import { changeIn, marginAt, withSequences } from "./CoinSequence.ts"
import type { SequencedCoin } from "./CoinSequence.ts"
import { readSentAt } from "./ReadSent.ts"
import { storedForm } from "./SignSpending.ts"
import { addressOn } from "./SolverAccount.ts"
import type { KeyAccount } from "./SolverAccount.ts"

/** For every request but the scan. */
const DEADLINE_MS = usual.requestMs

/** How often a read is repeated because a block came meanwhile. */
const TRIES = 3

export const least = (first: bigint, others: ReadonlyArray<bigint>): bigint =>
  others.reduce((lowest, each) => each < lowest ? each : lowest, first)

/** What a node has listed, with the change that payments have got into final blocks since. */
interface KnownCoins extends ListedAt {
  readonly coins: ReadonlyArray<SequencedCoin>
  /** The newest block whose payments are known. */
  readonly through: bigint
}

/** A coin that a new block spends would seem to be spent by a final one, so all is read at one head. */
const atOneHead = Effect.fnUntraced(function*<A>(
  rpc: CoreRpc,
  chain: Chain,
  read: (head: ReadHead) => Effect.Effect<A, BitcoinFault>
): Effect.fn.Return<A, BitcoinFault> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const head = yield* readHead(rpc, chain, DEADLINE_MS)
    const answer = yield* read(head)
    if ((yield* readHead(rpc, chain, DEADLINE_MS)).hash === head.hash) return answer
  }
  return yield* Effect.fail("behind" as const)
})

/** One node's view. It lists the coins again once it knows all that final blocks have spent of those that it listed. */
const readAt = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  account: KeyAccount,
  known: KnownCoins,
  head: ReadHead
): Effect.fn.Return<{ readonly position: AccountPosition; readonly next: KnownCoins | undefined }, BitcoinFault> {
  const { finalHeight, height } = head
  const margin = marginAt(head)
  const formsIn = (from: bigint, to: bigint): Effect.Effect<ReadonlyArray<PaymentForm>, BitcoinFault> =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: Math.max(0, Number(to - from) + 1) }, (_, at) => from + BigInt(at)),
        (each) => readSentAt(rpc, chain, account, each, DEADLINE_MS)
      ),
      (sent) => sent.flat().map(({ raw }) => storedForm(raw).form)
    )
  const change = (yield* formsIn(known.through + 1n, finalHeight)).flatMap((form) => changeIn(form, account))
  const coins = [...known.coins, ...change]
  const unspent = (yield* readUnspent(rpc, coins, "blocks", DEADLINE_MS)).map(({ coin }) => coin.sequence)
  // As of the newest final block, all that was spent since was unspent.
  const recent = (yield* formsIn(finalHeight + 1n, height)).flatMap(({ inputs }) => inputs)
  const listedCoins = new Map(coins.map((coin) => [coinName(coin), coin]))
  const unknown = recent.filter((coin) => !listedCoins.has(coinName(coin)))
  const spent = [
    ...recent.flatMap((coin) => listedCoins.get(coinName(coin)) ?? []),
    ...yield* withSequences(rpc, chain, account, { coins: unknown, margin }, DEADLINE_MS)
  ]
  const usedUp = least(finalHeight + 1n, [...unspent, ...spent.map(({ sequence }) => sequence)])
  // Of strangers' coins that blocks have made since it listed them, nothing is known.
  const listed = known.height + 1n - margin
  return {
    position: {
      counted: false,
      height,
      finalHeight,
      sequence: least(height + 1n, unspent),
      pendingSequence: height + 1n,
      finalSequence: least(usedUp, [listed])
    },
    next: usedUp > listed && height > known.height
      ? undefined
      : { ...known, coins, through: finalHeight > known.through ? finalHeight : known.through }
  }
})

export interface FencePosition {
  readonly position: (chain: Chain) => Effect.Effect<AccountPosition, ChainUnavailable>
  /** The coins that nodes have listed, oldest first. Some may be spent by now. */
  readonly coins: (chain: Chain) => Effect.Effect<ReadonlyArray<SequencedCoin>, ChainUnavailable>
}

/** Keeps what each node has listed, because to list coins is slow. */
export const makeFencePosition = (rpc: BitcoinRpc["Service"], account: KeyAccount): FencePosition => {
  const kept = new Map<ChainId, Map<BitcoinClient, KnownCoins>>()
  const keptOn = ({ id }: Chain): Map<BitcoinClient, KnownCoins> => {
    const found = kept.get(id) ?? new Map<BitcoinClient, KnownCoins>()
    kept.set(id, found)
    return found
  }

  const knownAt = Effect.fnUntraced(function*(core: CoreRpc, chain: Chain, client: BitcoinClient, patience: number) {
    const before = keptOn(chain).get(client)
    if (before !== undefined && (yield* canonical(core, before, DEADLINE_MS))) return before
    const { coins, hash, height } = yield* readScan(core, addressOn(account, chain), patience)
    const margin = marginAt(yield* readHead(core, chain, DEADLINE_MS))
    const placed = yield* withSequences(core, chain, account, { coins, margin }, DEADLINE_MS)
    const known: KnownCoins = { height, hash, coins: placed, through: height }
    keptOn(chain).set(client, known)
    return known
  })

  const positionAt = (chain: Chain) => (client: BitcoinClient): Promise<AccountPosition> =>
    client.read(Effect.fnUntraced(function*(core, patience) {
      const known = yield* knownAt(core, chain, client, patience)
      const { next, position } = yield* atOneHead(core, chain, (head) => readAt(core, chain, account, known, head))
      if (next === undefined) keptOn(chain).delete(client)
      else keptOn(chain).set(client, next)
      return position
    }))

  return {
    position: Effect.fn("FencePosition.position")(function*(chain) {
      return yield* readPosition(rpc.patient, chain, "quorum", positionAt(chain))
    }),
    coins: Effect.fn("FencePosition.coins")(function*(chain) {
      const before = [...keptOn(chain).values()]
      const known = before.length > 0
        ? before
        : (yield* rpc.patient.several(
          chain,
          "unspent coins of the account",
          (client) => client.read((core, patience) => knownAt(core, chain, client, patience))
        )).map(({ answer }) => answer)
      const named = new Map(known.flatMap(({ coins }) => coins).map((coin) => [coinName(coin), coin]))
      return [...named.values()].toSorted((one, other) => Number(one.sequence - other.sequence))
    })
  }
}
