/**
 * What made coins in blocks that are not final yet, and what that needs in such blocks: each by what it spends.
 *
 * A reorg can take such a block back, and a miner can then take another form of the maker. Whatever spends the first
 * form's output is dead then, and only what the maker spends proves it (BITCOIN-9). Only bytes that hash to an id count.
 */
import { Effect } from "effect"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { hexDigits } from "../../../src/domain/encoding/HexDigits.ts"
import type { SpendingInputs } from "../../../src/domain/families/bitcoin/treasury/DeadPayment.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { RawTransaction } from "../decode/NodeAnswers.ts"
import { decodedAs, readHeader } from "../observe/ReadPlace.ts"
import type { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { resultOrNone, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHead } from "../watch/Blocks.ts"

/** By their ids. */
export type Makers = ReadonlyMap<string, SpendingInputs>

const none: Makers = new Map()

/** One that was in a block when it was read. A reorg may have moved it since. */
interface Placed extends SpendingInputs {
  readonly height: bigint
}

/** How many makers are remembered. The oldest are asked for again. */
const MOST_KNOWN = 2_000
/** How many generations are looked up at once: with those that are remembered, more than a reorg reaches. */
const MOST_GENERATIONS = 14
/**
 * SECURITY: anybody can send the account a coin whose makers spend thousands of others. What has more inputs is left out,
 * and so many are asked for at once: such a coin has less proof, and no payment waits for it.
 */
const MOST_INPUTS = 100
const MOST_ASKED = 200

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

/** `of`: the makers of these coins, and theirs. */
export const makeUnfinalMakers = (rpc: BitcoinRpc["Service"]) => {
  const known = new Map<string, Placed>()
  const remember = (placed: Placed) => {
    known.delete(placed.id)
    known.set(placed.id, placed)
    const [oldest] = known.keys()
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest)
  }

  const of = Effect.fnUntraced(function*(chain: Chain, coins: ReadonlyArray<ListedCoin>) {
    const depth = chain.finality._tag === "Depth" ? BigInt(chain.finality.blocks) : 0n
    const unfinal = coins.filter(({ confirmations }) => BigInt(confirmations) <= depth)
    if (unfinal.length === 0) return none
    return yield* rpc.call(
      chain,
      "what made coins of the account",
      (client) =>
        client.read(Effect.fnUntraced(function*(core, deadline) {
          const { height: head } = yield* readHead(core, chain, deadline)
          for (const { confirmations, source, transactionId } of unfinal) {
            if (known.has(transactionId)) continue
            const { inputs } = yield* decodedAs(transactionId, hexDigits(source))
            remember({ id: transactionId, inputs, height: head - BigInt(confirmations) + 1n })
          }
          const makers = new Map<string, SpendingInputs>()
          let wanted: ReadonlyArray<string> = [...new Set(unfinal.map(({ transactionId }) => transactionId))]
          let left = MOST_ASKED
          for (let nth = 0; nth < MOST_GENERATIONS && wanted.length > 0; nth += 1) {
            const asked = wanted.filter((id) => !known.has(id)).slice(0, left)
            left -= asked.length
            if (asked.length > 0) (yield* readPlaced(core, asked, deadline)).forEach(remember)
            // By twice the depth: a reorg may have moved one up since it was read.
            const placed = wanted.flatMap((id) => known.get(id) ?? []).filter(({ height, inputs }) =>
              height > head - 2n * depth && inputs.length <= MOST_INPUTS
            )
            for (const { id, inputs } of placed) makers.set(id, { id, inputs })
            wanted = [...new Set(placed.flatMap(({ inputs }) => inputs.map(({ transactionId }) => transactionId)))]
              .filter((id) => !makers.has(id))
          }
          return makers
        }))
    )
  })
  return { of }
}

/** Those of the makers that these coins need, however far back. */
export const neededBy = (
  coins: ReadonlyArray<SpendingInputs["inputs"][number]>,
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
