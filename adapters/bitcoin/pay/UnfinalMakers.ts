/**
 * What made coins in blocks that are not final yet, and what that needs in such blocks: each by what it spends.
 *
 * A reorg can take such a block back, and a miner can then take another form of the maker. Whatever spends the first
 * form's output is dead then, and only what the maker spends proves it (BITCOIN-9). Only bytes that hash to an id count.
 *
 * SECURITY: a coin of which not all of that is known is not spent before it is final. A payment of it could neither be
 * mined nor proven dead, and the sender of the coin chooses what made it. So no single node says what is final: each of
 * as many hosts as the quorum needs is asked. One that is ahead of the others, on blocks of its own, calls final what
 * its sender can still take back. Nor does a single node keep a coin back: where they disagree, the others are asked.
 *
 * SECURITY: whoever sends the account a coin chooses what made it: two hundred transactions of a megabyte, in as many
 * blocks. So nodes are asked for few of them at once, what was read stays known, and what strangers' coins need takes
 * part of the time only: it may keep these coins back, and nothing else (BITCOIN-22).
 */
import { Effect, Result } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import { isCoinbase } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { SpendingInputs } from "../../../src/domain/families/bitcoin/treasury/DeadPayment.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { decodedAs, readHeaders } from "../observe/ReadPlace.ts"
import type { BitcoinClient, BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { neededWithin, needing } from "../../../src/domain/families/bitcoin/treasury/NeedingMakers.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { readUnspent } from "../coins/ListCoins.ts"
import { partsOf } from "../coins/Sources.ts"
import { elapsedMillis } from "../../quorum/rpc/ElapsedTime.ts"
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

/**
 * Inputs in unfinal blocks that a stranger's coin may need: a payment of the coin keeps all of it in the store, and so do
 * those that spend its change (BITCOIN-23).
 */
const MOST_NEEDED = 1_000

const rawOf = resultOrNone(RawTransaction)

/** Those of these transactions that the node has in a block. Of inputs beyond the most that count, one more is kept. */
const readPlaced = Effect.fnUntraced(function*(rpc: CoreRpc, ids: ReadonlyArray<string>, deadline: number) {
  const answers = yield* rpc.answers(ids.map((id) => transactionCall(id, 1)), deadline)
  const found: Array<Omit<Placed, "height"> & { readonly block: string }> = []
  for (const [at, id] of ids.entries()) {
    const raw = yield* rawOf(answers[at])
    if (raw?.blockhash === undefined) continue
    const { inputs } = yield* decodedAs(id, raw.hex)
    found.push({ id, inputs: inputs.slice(0, MOST_INPUTS + 1), block: raw.blockhash })
  }
  const headers = yield* readHeaders(rpc, found.map(({ block }) => block), deadline)
  return found.flatMap(({ block, ...made }) => {
    const height = headers.get(block)?.height
    return height === undefined ? [] : [{ ...made, height }]
  })
})

/** How many blocks this node has from the one that made each of these coins, and at most as many as were listed. */
const readDeep = Effect.fnUntraced(
  function*(rpc: CoreRpc, coins: ReadonlyArray<ListedCoin>, head: bigint, deadline: number) {
    const unspent = yield* readUnspent(rpc, coins, "blocks", deadline)
    const shown = new Map(unspent.map(({ coin, confirmations }) => [coinName(coin), confirmations]))
    // Spent in a block by now, or in none here.
    const others = coins.filter((coin) => !shown.has(coinName(coin))).map(({ transactionId }) => transactionId)
    const made = (yield* Effect.forEach(partsOf([...new Set(others)]), (part) => readPlaced(rpc, part, deadline)))
      .flat()
    const heights = new Map(made.map(({ height, id }) => [id, height]))
    return (coin: ListedCoin): number => {
      const height = heights.get(coin.transactionId)
      const deep = shown.get(coinName(coin)) ?? (height === undefined ? 0 : Number(head - height) + 1)
      return Math.min(coin.confirmations, deep)
    }
  }
)

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

const isProvenBy = ({ unfinal, unproven }: ShownByHost, coin: BtcOutpoint): boolean =>
  !unfinal.has(coinName(coin)) || !unproven.has(coin.transactionId)

/** Of the time of one request, what the makers of strangers' coins take in all. */
const STRANGERS_PART = 1 / 2

/** One host, and what it has shown before. `deadline` in milliseconds, for one request. */
interface Asked {
  readonly core: CoreRpc
  readonly known: Map<string, Placed>
  readonly deadline: number
}

const readMakers = ({ core, deadline, known }: Asked, ids: ReadonlyArray<string>) =>
  Effect.map(readPlaced(core, ids, deadline), (read) => read.forEach((placed) => remember(known, placed)))

/** Returns whether all were asked for. */
type ReadMakers<E> = (ids: ReadonlyArray<string>) => Effect.Effect<boolean, E>

const ownBy = (host: Asked) => (ids: ReadonlyArray<string>) =>
  Effect.as(Effect.forEach(partsOf(ids), (part) => readMakers(host, part), { discard: true }), true)

/** What fails or is late is not asked for. `until`: elapsed milliseconds. */
const strangersBy = (host: Asked, until: number) =>
  Effect.fnUntraced(function*(ids: ReadonlyArray<string>) {
    for (const part of partsOf(ids)) {
      const deadline = until - (yield* elapsedMillis)
      if (deadline <= 0) return false
      if (Result.isFailure(yield* Effect.result(readMakers({ ...host, deadline }, part)))) return false
    }
    return true
  })

/** What these need, and that, in blocks above the height. What is not known by then stays unknown. */
const walk = Effect.fnUntraced(
  function*<E>(
    known: ReadonlyMap<string, Placed>,
    from: ReadonlyArray<string>,
    above: bigint,
    walked: Walked,
    read: ReadMakers<E>
  ) {
    let [wanted, left] = [from, MOST_ASKED]
    for (let round = 0; wanted.length > 0; round += 1) {
      const asked = round < MOST_ROUNDS ? wanted.filter((id) => !known.has(id)).slice(0, left) : []
      left -= asked.length
      if (asked.length > 0 && !(yield* read(asked))) left = 0
      wanted = step(known, walked, wanted, above)
    }
  }
)

const readShown = Effect.fnUntraced(function*(
  { core, deadline, known }: Asked,
  chain: Chain,
  coins: ReadonlyArray<ListedCoin>,
  isOwn: (coin: BtcOutpoint) => boolean
) {
  const depth = chain.finality._tag === "Depth" ? BigInt(chain.finality.blocks) : 0n
  const { height: head } = yield* readHead(core, chain, deadline)
  const deepOf = yield* readDeep(core, coins, head, deadline)
  const placed = coins.map((coin) => ({ coin, deep: deepOf(coin) }))
  const unfinal = placed.filter(({ deep }) => BigInt(deep) <= depth)
  for (const { coin: { source, transactionId }, deep } of unfinal) {
    if (known.has(transactionId)) continue
    const { inputs } = yield* decodedAs(transactionId, hexDigits(source))
    remember(known, {
      id: transactionId,
      inputs: inputs.slice(0, MOST_INPUTS + 1),
      height: head - BigInt(deep) + 1n
    })
  }
  const walked: Walked = { makers: new Map(), unknown: new Set() }
  const found = unfinal.map(({ coin }) => coin)
  const makersOf = (some: ReadonlyArray<ListedCoin>) => [...new Set(some.map(({ transactionId }) => transactionId))]
  // By twice the depth: a reorg may have moved one up since it was read.
  const above = head - 2n * depth
  const host = { core, deadline, known }
  yield* walk(known, makersOf(found.filter(isOwn)), above, walked, ownBy(host))
  const strangers = makersOf(found.filter((coin) => !isOwn(coin)))
  const until = (yield* elapsedMillis) + STRANGERS_PART * deadline
  yield* walk(known, strangers, above, walked, strangersBy(host, until))
  const { makers, unknown } = walked
  return {
    makers,
    unfinal: new Set(found.map(coinName)),
    unproven: needing(unknown, makers)
  } satisfies ShownByHost
})

/** `of`: the makers of these coins, and theirs. `isOwn`: looked up first, so that strangers cannot use up its questions. */
export const makeUnfinalMakers = (rpc: BitcoinRpc["Service"]) => {
  const byHost = new WeakMap<BitcoinClient, Map<string, Placed>>()
  /** Names of coins that are final at as many hosts as the quorum needs: they stay so. */
  const finals = new Map<string, true>()

  const knownOf = (client: BitcoinClient): Map<string, Placed> => {
    const known = byHost.get(client) ?? new Map<string, Placed>()
    byHost.set(client, known)
    return known
  }

  const of = Effect.fnUntraced(function*(
    chain: Chain,
    coins: ReadonlyArray<ListedCoin>,
    isOwn: (coin: BtcOutpoint) => boolean
  ) {
    const unsure = coins.filter((coin) => !finals.has(coinName(coin)))
    if (unsure.length === 0) return allFinal
    let hosts = 1
    const said = yield* rpc.several(
      chain,
      "what made coins of the account",
      (client) =>
        client.read((core, deadline) => readShown({ core, deadline, known: knownOf(client) }, chain, unsure, isOwn)),
      (answers, needed) => {
        hosts = needed
        return unsure.every((coin) => new Set(answers.map((answer) => isProvenBy(answer, coin))).size === 1)
      }
    )
    const shown = said.map(({ answer }) => answer)
    const makers = new Map(shown.flatMap((answer) => [...answer.makers]))
    const unproven = new Set<string>()
    const open: Array<ListedCoin> = []
    for (const coin of unsure) {
      const name = coinName(coin)
      if (shown.filter(({ unfinal }) => !unfinal.has(name)).length >= hosts) {
        finals.set(name, true)
        forgetOldest(finals)
      } else if (shown.filter((answer) => isProvenBy(answer, coin)).length < hosts) unproven.add(name)
      else open.push(coin)
    }
    // Of a coin that is final nothing is kept, whatever a node that is behind shows of it.
    const kept = new Map(neededBy(open.filter(isOwn), makers).map((maker) => [maker.id, maker]))
    for (const coin of open.filter((each) => !isOwn(each))) {
      const needed = neededWithin(coin.transactionId, makers, MOST_NEEDED)
      if (needed === undefined) unproven.add(coinName(coin))
      else needed.forEach((maker) => kept.set(maker.id, maker))
    }
    return { makers: kept, isProven: (coin) => !unproven.has(coinName(coin)) } satisfies KnownMakers
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
