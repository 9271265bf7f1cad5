/**
 * The coins of an address in blocks, as the explorer lists them and a node has them.
 *
 * The explorer only says where to look. A coin counts when the node has it unspent, and its amount and script are read
 * from the bytes of the transaction that made it, which hash to its id. So an explorer that lies can hide coins, and
 * cannot invent one or change what it holds.
 */
import { Context, Effect, Layer, Result } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import type { Coin } from "../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { DEADLINE_MS } from "../../quorum/Endpoints.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { bytesOfHex, HeldCoin as HeldCoinAnswer, satoshiOf, UnspentCoin } from "../decode/NodeAnswers.ts"
import { BitcoinExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import type { ExplorerFault } from "../observe/explorer/ExplorerHttp.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { resultOf, unspentCall } from "../rpc/CoreRpc.ts"
import { makeKnownSources, readSources } from "./Sources.ts"
import type { KnownSources } from "./Sources.ts"

export interface HeldCoin extends Coin {
  /** At least 1. */
  readonly confirmations: number
}

export interface ListedCoin extends HeldCoin {
  /** The bytes of the transaction that made it, with witnesses, as the node has them. */
  readonly source: Uint8Array
}

/**
 * What counts as spent: what blocks have spent, or also what waits in the node's mempool. Whoever tracks its own
 * payments asks for blocks; for everybody else a coin that waits to be spent is no longer there.
 */
export type SpentBy = "blocks" | "mempool"

/** More coins than a transaction of usual size spends. The largest count. */
const MOST_COINS = 500

const AT_ONCE = 50

/** A reward can be spent by the block that makes it a hundred and first. */
const MATURITY = 100

const coinOf = resultOf(UnspentCoin)

/** Those of these coins that the node has unspent. An immature reward is none yet. */
export const readUnspent = Effect.fnUntraced(
  function*<A extends BtcOutpoint>(rpc: CoreRpc, coins: ReadonlyArray<A>, spentBy: SpentBy, deadline: number) {
    const unspent: Array<{ readonly coin: A; readonly confirmations: number }> = []
    for (let at = 0; at < coins.length; at += AT_ONCE) {
      const some = coins.slice(at, at + AT_ONCE)
      const answers = yield* rpc.answers(some.map((coin) => unspentCall(coin, spentBy === "mempool")), deadline)
      for (const [nth, coin] of some.entries()) {
        const shown = yield* coinOf(answers[nth])
        if (shown === null || shown.confirmations < (shown.coinbase ? MATURITY : 1)) continue
        unspent.push({ coin, confirmations: shown.confirmations })
      }
    }
    return unspent
  }
)

/** Of these coins, without what is not a coin of the script that can be spent now. `known`: what made others before. */
export const readCoins = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    script: Uint8Array,
    coins: ReadonlyArray<BtcOutpoint>,
    spentBy: SpentBy,
    deadline: number,
    known: KnownSources = makeKnownSources()
  ): Effect.fn.Return<ReadonlyArray<ListedCoin>, ReadFault> {
    const unspent = yield* readUnspent(rpc, coins, spentBy, deadline)
    if (unspent.length === 0) return []
    // Anybody can make hundreds of its coins by one transaction, of up to a megabyte: it is read once.
    const ids = [...new Set(unspent.map(({ coin }) => coin.transactionId))]
    const sources = yield* readSources(rpc, script, ids, known, deadline)
    const paidBy = new Map(
      [...sources].map(([id, { paid }]) => [id, new Map(paid.map(({ amount, index }) => [index, amount]))] as const)
    )
    const read: Array<ListedCoin> = []
    for (const { coin: { index, transactionId }, confirmations } of unspent) {
      const made = sources.get(transactionId)
      if (made === undefined || index >= made.outputs) return yield* Effect.fail("contradiction" as const)
      const amount = paidBy.get(transactionId)?.get(index)
      if (amount === undefined) continue
      read.push({ transactionId, index, amount, source: made.bytes, confirmations })
    }
    return read
  }
)

const heldOf = resultOf(HeldCoinAnswer)

/** Those of the script that can be spent now, by the node's word: nothing is read but the coins. */
const readHeld = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    script: Uint8Array,
    coins: ReadonlyArray<BtcOutpoint>,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<HeldCoin>, ReadFault> {
    const answers = yield* rpc.answers(coins.map((coin) => unspentCall(coin, true)), deadline)
    const shown = yield* Effect.forEach(
      coins,
      ({ index, transactionId }, at) => Effect.map(heldOf(answers[at]), (held) => ({ transactionId, index, held }))
    )
    return shown.flatMap(({ held, ...coin }) =>
      held === null || held.confirmations < (held.coinbase ? MATURITY : 1) ||
        !sameBytes(bytesOfHex(held.scriptPubKey.hex), script)
        ? []
        : [{ ...coin, amount: satoshiOf(held.value), confirmations: held.confirmations }]
    )
  }
)

export class BitcoinCoins extends Context.Service<BitcoinCoins, {
  /**
   * The address's coins in blocks, at most the 500 largest, largest first. Only the explorer's word: `check` says which
   * of them there are.
   */
  readonly named: (chain: Chain, address: Address) => Effect.Effect<ReadonlyArray<Coin>, ChainUnavailable>
  /** The address's coins that can be spent, at most the 500 largest. Fails while the explorer does not answer. */
  readonly list: (
    chain: Chain,
    address: Address,
    spentBy: SpentBy
  ) => Effect.Effect<ReadonlyArray<ListedCoin>, ChainUnavailable>
  /** What waits to become the address's, in satoshi. Only the explorer's word. */
  readonly waiting: (chain: Chain, address: Address) => Effect.Effect<bigint, ChainUnavailable>
  /**
   * Those of these coins that are the address's, that can be spent and that nothing in the mempool spends, by the word
   * of one node. Costs no more than the coins themselves, whatever made them.
   */
  readonly held: (
    chain: Chain,
    address: Address,
    coins: ReadonlyArray<BtcOutpoint>
  ) => Effect.Effect<ReadonlyArray<HeldCoin>, ChainUnavailable>
  /** Those of these coins that are the address's and can be spent. Asks nodes alone. */
  readonly check: (
    chain: Chain,
    address: Address,
    coins: ReadonlyArray<BtcOutpoint>,
    spentBy: SpentBy
  ) => Effect.Effect<ReadonlyArray<ListedCoin>, ChainUnavailable>
}>()("causeway/adapters/bitcoin/BitcoinCoins") {}

export const layer = Layer.effect(
  BitcoinCoins,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const explorer = yield* BitcoinExplorer
    const known = makeKnownSources()

    /** Nothing for what is no address of the chain. */
    const inParts = Effect.fnUntraced(function*<A>(
      chain: Chain,
      address: Address,
      coins: ReadonlyArray<BtcOutpoint>,
      readPart: (
        core: CoreRpc,
        script: Uint8Array,
        part: ReadonlyArray<BtcOutpoint>,
        deadline: number
      ) => Effect.Effect<ReadonlyArray<A>, ReadFault>
    ) {
      const script = scriptOfAddress(address, chain.network)
      if (Result.isFailure(script)) return []
      const parts = Array.from(
        { length: Math.ceil(coins.length / AT_ONCE) },
        (_, at) => coins.slice(at * AT_ONCE, (at + 1) * AT_ONCE)
      )
      const read = (part: ReadonlyArray<BtcOutpoint>) =>
        rpc.call(
          chain,
          "coins of an address",
          (client) => client.read((core, deadline) => readPart(core, script.success, part, deadline))
        )
      return (yield* Effect.forEach(parts, read)).flat()
    })

    const check: BitcoinCoins["Service"]["check"] = (chain, address, coins, spentBy) =>
      inParts(
        chain,
        address,
        coins,
        (core, script, part, deadline) => readCoins(core, script, part, spentBy, deadline, known)
      )

    const asked = <A>(chain: Chain, asking: Effect.Effect<A, ExplorerFault>) =>
      Effect.mapError(
        asking,
        (fault) =>
          new ChainUnavailable({
            chain: chain.slug,
            operation: "coins of an address, at the explorer",
            kind: fault === "unauthorized" ? "refused" : fault
          })
      )
    const hinted = (chain: Chain, address: Address) => asked(chain, explorer.coinsOf(address, DEADLINE_MS))

    const named: BitcoinCoins["Service"]["named"] = (chain, address) =>
      Effect.map(
        hinted(chain, address),
        (coins) =>
          coins.filter(({ isInBlock }) => isInBlock).toSorted((one, other) => one.amount > other.amount ? -1 : 1)
            .slice(0, MOST_COINS)
      )

    return BitcoinCoins.of({
      check,
      held: (chain, address, coins) => inParts(chain, address, coins, readHeld),
      named,
      list: Effect.fn("BitcoinCoins.list")(function*(chain, address, spentBy) {
        return yield* check(chain, address, yield* named(chain, address), spentBy)
      }),
      waiting: (chain, address) =>
        Effect.map(
          hinted(chain, address),
          (coins) => coins.reduce((sum, { amount, isInBlock }) => isInBlock ? sum : sum + amount, 0n)
        )
    })
  })
)
