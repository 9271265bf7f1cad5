/**
 * Which coins of the account payments that were signed by now may still spend: each node's own set of unspent outputs
 * lists them, and its blocks show which of them final transactions have spent.
 *
 * SECURITY: a store that was restored from a backup pays again what it believes unpaid, so a coin that is hidden here
 * can be paid out twice (BITCOIN-16). No explorer is asked. As many hosts are asked as the quorum needs, and the least
 * that one of them says counts, so fewer liars than that hide none.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { AccountPosition, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { usual } from "../../endpoints/AskEndpoint.ts"
import { readUnspent } from "../coins/ListCoins.ts"
import { readScan } from "../coins/ScanCoins.ts"
import type { CoinScan, PlacedCoin } from "../coins/ScanCoins.ts"
import { canonical } from "../observe/ReadPlace.ts"
import type { BitcoinClient, BitcoinFault, BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import type { ReadHead } from "../watch/Blocks.ts"
import { placeOf } from "./Landing.ts"
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
const greatest = (first: bigint, others: ReadonlyArray<bigint>): bigint =>
  others.reduce((highest, each) => each > highest ? each : highest, first)

/** The heights of the coins that the account has spent in these transactions. */
const readSpentHeights = Effect.fnUntraced(function*(rpc: CoreRpc, sent: ReadonlyArray<SentTransaction>) {
  const ids = new Set(sent.flatMap(({ raw }) => storedForm(raw).form.inputs.map((each) => each.transactionId)))
  const places = yield* Effect.forEach(ids, (id) => placeOf(rpc, id, DEADLINE_MS))
  return places.flatMap((place) => place?.block === undefined ? [] : [place.block.height])
})

const readPosition = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  account: KeyAccount,
  scan: CoinScan,
  { finalHeight, height }: ReadHead
): Effect.fn.Return<AccountPosition, BitcoinFault> {
  const unspent = yield* readUnspent(rpc, scan.coins, "blocks", DEADLINE_MS)
  const heights = unspent.map(({ coin }) => coin.height)
  const recent = Array.from({ length: Number(height - finalHeight) }, (_, at) => finalHeight + 1n + BigInt(at))
  const sent = yield* Effect.forEach(recent, (each) => readSentAt(rpc, chain, account, each, DEADLINE_MS))
  return {
    counted: false,
    height,
    finalHeight,
    sequence: least(height + 1n, heights),
    pendingSequence: height + 1n,
    // As of the newest final block, all that was spent since was unspent. Of coins that blocks have made since the
    // scan, nothing is known.
    finalSequence: least(finalHeight + 1n, [
      scan.height + 1n,
      ...heights,
      ...yield* readSpentHeights(rpc, sent.flat())
    ])
  }
})

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

export interface FencePosition {
  readonly position: (chain: Chain) => Effect.Effect<AccountPosition, ChainUnavailable>
  /** The coins that nodes have listed, oldest first. Some may be spent by now. */
  readonly coins: (chain: Chain) => Effect.Effect<ReadonlyArray<PlacedCoin>, ChainUnavailable>
}

/** Keeps each node's scan until final transactions have spent all of its coins, because a scan is slow. */
export const makeFencePosition = (rpc: BitcoinRpc["Service"], account: KeyAccount): FencePosition => {
  const scans = new Map<ChainId, Map<BitcoinClient, CoinScan>>()
  const scansOn = ({ id }: Chain): Map<BitcoinClient, CoinScan> => {
    const kept = scans.get(id) ?? new Map<BitcoinClient, CoinScan>()
    scans.set(id, kept)
    return kept
  }

  const scanAt = Effect.fnUntraced(function*(core: CoreRpc, chain: Chain, client: BitcoinClient, patience: number) {
    const kept = scansOn(chain).get(client)
    if (kept !== undefined && (yield* canonical(core, kept, DEADLINE_MS))) return kept
    const scan = yield* readScan(core, addressOn(account, chain), patience)
    scansOn(chain).set(client, scan)
    return scan
  })

  return {
    position: Effect.fn("FencePosition.position")(function*(chain) {
      const positions = yield* rpc.patient.several(
        chain,
        "unspent coins of the account",
        (client) =>
          client.read(Effect.fnUntraced(function*(core, patience) {
            const scan = yield* scanAt(core, chain, client, patience)
            const position = yield* atOneHead(core, chain, (head) => readPosition(core, chain, account, scan, head))
            if (position.finalSequence > scan.height) scansOn(chain).delete(client)
            return position
          }))
      )
      const [first, ...others] = positions
      if (first === undefined) return yield* Effect.die(new Error("a quorum without a host"))
      return {
        counted: false,
        height: greatest(first.height, others.map(({ height }) => height)),
        finalHeight: least(first.finalHeight, others.map(({ finalHeight }) => finalHeight)),
        sequence: least(first.sequence, others.map(({ sequence }) => sequence)),
        pendingSequence: greatest(first.pendingSequence, others.map(({ pendingSequence }) => pendingSequence)),
        finalSequence: least(first.finalSequence, others.map(({ finalSequence }) => finalSequence))
      }
    }),
    coins: Effect.fn("FencePosition.coins")(function*(chain) {
      const kept = [...scansOn(chain).values()]
      const known = kept.length > 0 ? kept : yield* rpc.patient.several(
        chain,
        "unspent coins of the account",
        (client) => client.read((core, patience) => scanAt(core, chain, client, patience))
      )
      const named = new Map(known.flatMap(({ coins }) => coins).map((coin) => [coinName(coin), coin]))
      return [...named.values()].toSorted((one, other) => Number(one.height - other.height))
    })
  }
}
