/**
 * What made coins in blocks that are not final yet, and what that needs in such blocks: each by what it spends.
 *
 * A reorg can take such a block back, and a miner can then take another form of the maker. Whatever spends the first
 * form's output is dead then, and only what the maker spends proves it (BITCOIN-9). Only bytes that hash to an id count.
 *
 * SECURITY: a coin of which not all of that is known is not spent before it is final. A payment of it could neither be
 * mined nor proven dead, and the sender of the coin chooses what made it. So no single node says what is final: each of
 * as many hosts as the quorum needs is asked. One that is ahead of the others, on blocks of its own, calls final what
 * its sender can still take back.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { SpendingInputs } from "../../../src/domain/families/bitcoin/treasury/DeadPayment.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { decodedAs, readHeader } from "../observe/ReadPlace.ts"
import type { BitcoinClient, BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { readUnspent } from "../coins/ListCoins.ts"
import { readHead } from "../watch/Blocks.ts"

/** By their ids. */
export type Makers = ReadonlyMap<string, SpendingInputs>

/** What made some coins, and which of them can be spent now. */
export interface KnownMakers {
  readonly makers: Makers
  /** Final, or with every maker known. */
  readonly isProven: (coin: BtcOutpoint) => boolean
}

const allFinal: KnownMakers = { makers: new Map(), isProven: () => true }

/** One that was in a block when it was read. A reorg may have moved it since. */
interface Placed extends SpendingInputs {
  readonly height: bigint
}

/** How many makers are remembered of each host, and how many final coins. The oldest are asked for again. */
const MOST_KNOWN = 2_000
/** A sweep has half as many. */
const MOST_INPUTS = 200
/** What is asked for at once, of the account's own payments and again of what strangers sent; and in how many rounds. */
const MOST_ASKED = 200
const MOST_ROUNDS = 25

const rawOf = resultOrNone(RawTransaction)

/** Those of these transactions that the node has in a block. */
const readPlaced = Effect.fnUntraced(function*(rpc: CoreRpc, ids: ReadonlyArray<string>, deadline: number) {
  const answers = yield* rpc.answers(ids.map((id) => transactionCall(id, 1)), deadline)
  const heights = new Map<string, bigint>()
  const read = yield* Effect.forEach(
    ids,
    Effect.fnUntraced(function*(id, at) {
      const raw = yield* rawOf(answers[at])
      if (raw?.blockhash === undefined) return []
      const { inputs } = yield* decodedAs(id, raw.hex)
      const height = heights.get(raw.blockhash) ?? (yield* readHeader(rpc, raw.blockhash, deadline)).height
      heights.set(raw.blockhash, height)
      return [{ id, inputs, height }]
    })
  )
  return read.flat()
})

/** How many blocks this node has from the one that made each of these coins, and at most as many as were listed. */
const readDeep = Effect.fnUntraced(
  function*(rpc: CoreRpc, coins: ReadonlyArray<ListedCoin>, head: bigint, deadline: number) {
    const unspent = yield* readUnspent(rpc, coins, "blocks", deadline)
    const shown = new Map(unspent.map(({ coin, confirmations }) => [coinName(coin), confirmations]))
    // Spent in a block by now, or in none here.
    const others = coins.filter((coin) => !shown.has(coinName(coin))).map(({ transactionId }) => transactionId)
    const made = others.length === 0 ? [] : yield* readPlaced(rpc, [...new Set(others)], deadline)
    const heights = new Map(made.map(({ height, id }) => [id, height]))
    return (coin: ListedCoin): number => {
      const height = heights.get(coin.transactionId)
      const deep = shown.get(coinName(coin)) ?? (height === undefined ? 0 : Number(head - height) + 1)
      return Math.min(coin.confirmations, deep)
    }
  }
)

/** The makers that need one of these, however far on, and these. */
const needing = (unknown: ReadonlySet<string>, makers: Makers): ReadonlySet<string> => {
  const all = new Set(unknown)
  for (let before = -1; before < all.size;) {
    before = all.size
    for (const { id, inputs } of makers.values()) {
      if (inputs.some(({ transactionId }) => all.has(transactionId))) all.add(id)
    }
  }
  return all
}

/** What a walk has found: what is above a height, and what of it is not known. */
interface Walked {
  readonly makers: Map<string, SpendingInputs>
  readonly unknown: Set<string>
}

/** Whose inputs are wanted next. */
const step = (
  known: ReadonlyMap<string, Placed>,
  { makers, unknown }: Walked,
  wanted: ReadonlyArray<string>,
  above: bigint
): ReadonlyArray<string> => {
  for (const id of wanted) {
    const placed = known.get(id)
    if (placed === undefined) unknown.add(id)
    else if (placed.height <= above) continue
    else if (placed.inputs.length > MOST_INPUTS) unknown.add(id)
    else makers.set(id, { id, inputs: placed.inputs })
  }
  const needed = wanted.flatMap((id) => makers.get(id) ?? [])
  // A reward needs nothing. It can be spent only long after it is final.
  const next = needed.flatMap((maker) => isCoinbase(maker) ? [] : maker.inputs.map((each) => each.transactionId))
  return [...new Set(next)].filter((id) => !makers.has(id) && !unknown.has(id))
}

const forgetOldest = <V>(of: Map<string, V>): void => {
  const [oldest] = of.keys()
  if (of.size > MOST_KNOWN && oldest !== undefined) of.delete(oldest)
}

const remember = (known: Map<string, Placed>, placed: Placed): void => {
  known.delete(placed.id)
  known.set(placed.id, placed)
  forgetOldest(known)
}

/** What one host shows. */
interface ShownByHost {
  readonly makers: Makers
  /** The names of coins that are not final there. */
  readonly unfinal: ReadonlySet<string>
  /** What made those of which not all is known. */
  readonly unproven: ReadonlySet<string>
}

/** `known`: what this host has shown before. */
const readShown = Effect.fnUntraced(function*(
  core: CoreRpc,
  chain: Chain,
  coins: ReadonlyArray<ListedCoin>,
  isOwn: (coin: BtcOutpoint) => boolean,
  known: Map<string, Placed>,
  deadline: number
) {
  const walk = Effect.fnUntraced(function*(from: ReadonlyArray<string>, above: bigint, walked: Walked) {
    let [wanted, left] = [from, MOST_ASKED]
    for (let round = 0; wanted.length > 0; round += 1) {
      const asked = round < MOST_ROUNDS ? wanted.filter((id) => !known.has(id)).slice(0, left) : []
      left -= asked.length
      if (asked.length > 0) (yield* readPlaced(core, asked, deadline)).forEach((placed) => remember(known, placed))
      wanted = step(known, walked, wanted, above)
    }
  })
  const depth = chain.finality._tag === "Depth" ? BigInt(chain.finality.blocks) : 0n
  const { height: head } = yield* readHead(core, chain, deadline)
  const deepOf = yield* readDeep(core, coins, head, deadline)
  const placed = coins.map((coin) => ({ coin, deep: deepOf(coin) }))
  const unfinal = placed.filter(({ deep }) => BigInt(deep) <= depth)
  for (const { coin: { source, transactionId }, deep } of unfinal) {
    if (known.has(transactionId)) continue
    const { inputs } = yield* decodedAs(transactionId, hexDigits(source))
    remember(known, { id: transactionId, inputs, height: head - BigInt(deep) + 1n })
  }
  const walked: Walked = { makers: new Map(), unknown: new Set() }
  const found = unfinal.map(({ coin }) => coin)
  for (const some of [found.filter(isOwn), found.filter((coin) => !isOwn(coin))]) {
    const ids = [...new Set(some.map(({ transactionId }) => transactionId))]
    // By twice the depth: a reorg may have moved one up since it was read.
    yield* walk(ids, head - 2n * depth, walked)
  }
  const { makers, unknown } = walked
  return {
    makers,
    unfinal: new Set(found.map(coinName)),
    unproven: needing(unknown, makers)
  } satisfies ShownByHost
})

/** `of`: the makers of these coins, and theirs. `isOwn`: looked up first, so that strangers cannot use up its questions. */
export const makeUnfinalMakers = (rpc: BitcoinRpc["Service"]) => {
  const hosts = new WeakMap<BitcoinClient, Map<string, Placed>>()
  /** Names of coins that are final at as many hosts as the quorum needs: they stay so. */
  const finals = new Map<string, true>()

  const knownOf = (client: BitcoinClient): Map<string, Placed> => {
    const known = hosts.get(client) ?? new Map<string, Placed>()
    hosts.set(client, known)
    return known
  }

  const of = Effect.fnUntraced(function*(
    chain: Chain,
    coins: ReadonlyArray<ListedCoin>,
    isOwn: (coin: BtcOutpoint) => boolean
  ) {
    const unsure = coins.filter((coin) => !finals.has(coinName(coin)))
    if (unsure.length === 0) return allFinal
    const shown = yield* rpc.several(
      chain,
      "what made coins of the account",
      (client) => client.read((core, deadline) => readShown(core, chain, unsure, isOwn, knownOf(client), deadline))
    )
    const makers = new Map(shown.flatMap(({ answer }) => [...answer.makers]))
    for (const name of unsure.map(coinName)) {
      if (shown.some(({ answer }) => answer.unfinal.has(name))) continue
      finals.set(name, true)
      forgetOldest(finals)
    }
    const isUnproven = (coin: BtcOutpoint) =>
      shown.some(({ answer: { unfinal, unproven } }) => unfinal.has(coinName(coin)) && unproven.has(coin.transactionId))
    return { makers, isProven: (coin) => !isUnproven(coin) } satisfies KnownMakers
  })
  return { of }
}

/** Those of the makers that these coins need, however far back. */
export const neededBy = (
  coins: ReadonlyArray<BtcOutpoint>,
  makers: Makers
): ReadonlyArray<SpendingInputs> => {
  const needed = new Map<string, SpendingInputs>()
  const waiting = coins.map(({ transactionId }) => transactionId)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const maker = needed.has(id) ? undefined : makers.get(id)
    if (maker === undefined) continue
    needed.set(id, maker)
    for (const { transactionId } of maker.inputs) waiting.push(transactionId)
  }
  return [...needed.values()]
}
