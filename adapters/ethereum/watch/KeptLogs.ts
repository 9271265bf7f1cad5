/**
 * Whether a node still has the logs of old blocks (EVM-7).
 *
 * A node that has pruned receipts, or only its index of logs, may answer `eth_getLogs` with an empty list and no error:
 * like a node that has them, where there are none. A scan that believes it passes deposits for ever. So where a scan
 * begins far below the head, the node has to show the logs of a block there that has some.
 */
import { numberToHex } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Steps } from "../../endpoints/AskEndpoint.ts"
import { receiptOf } from "../observe/Receipt.ts"
import { NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { isRefusal } from "./Logs.ts"
import { isTooSlow } from "./LogSpans.ts"

/** Blocks below the head that a node is taken to have. Those that prune keep some 10,000, or as many as they are told. */
const KEPT_BLOCKS = 64n

/** The most blocks that are read in one request while they are empty. */
const MOST_AT_ONCE = 32n

/** The most blocks with transactions of which one must have a log. */
const MOST_TRIED = 4

/** The most transactions that are asked for alone, and the most contracts whose logs are asked for. */
const SOME = 8

/** What was read of a chain, and its head then. */
interface ReadRange {
  readonly from: bigint
  readonly to: bigint
  readonly head: bigint
}

interface FilledBlock {
  readonly hash: Hex
  readonly number: bigint
  readonly transactions: ReadonlyArray<Hex>
}

/** From the range's beginning. A chain may have many empty blocks, so ever more of them are read at once. */
const filledBlocks = async function*(
  client: PublicClient,
  { from, to }: ReadRange,
  { done }: Steps
): AsyncGenerator<FilledBlock, void> {
  let atOnce = 1n
  for (let next = from; next <= to; next += atOnce, atOnce = atOnce < MOST_AT_ONCE ? 2n * atOnce : atOnce) {
    const last = next + atOnce - 1n < to ? next + atOnce - 1n : to
    const heights = Array.from({ length: Number(last - next) + 1 }, (_, index) => next + BigInt(index))
    const blocks = await Promise.all(heights.map((blockNumber) => client.getBlock({ blockNumber })))
    done()
    for (const block of blocks) if (block.transactions.length > 0) yield block
  }
}

/** What the node cannot tell: it refuses to, or takes too long. Undefined then. */
const ifTold = async <A>(asked: Promise<A>): Promise<A | undefined> => {
  try {
    return await asked
  } catch (error) {
    if (isRefusal(error) || isTooSlow(error)) return undefined
    throw error
  }
}

/** Empty where the node does not answer for a whole block. */
const allReceipts = async (client: PublicClient, { hash, number }: FilledBlock) => {
  const told = client.request({ method: "eth_getBlockReceipts", params: [numberToHex(number)] })
  return ((await ifTold(told)) ?? []).filter(({ blockHash }) => blockHash === hash)
}

const addressesIn = (
  receipts: ReadonlyArray<{ readonly logs: ReadonlyArray<{ readonly address: Hex }> }>
): ReadonlyArray<Hex> => receipts.flatMap(({ logs }) => logs.map(({ address }) => address))

/**
 * The contracts that have logged in the block. Some nodes leave transactions of the chain itself out of the receipts of
 * a block, so that what is missing there is asked for alone.
 */
const loggersIn = async (client: PublicClient, block: FilledBlock, { done }: Steps): Promise<ReadonlyArray<Hex>> => {
  const receipts = await allReceipts(client, block)
  done()
  const known = new Set(receipts.map(({ transactionHash }) => transactionHash))
  const missing = block.transactions.filter((hash) => !known.has(hash)).slice(0, SOME)
  const alone = await Promise.all(missing.map((hash) => receiptOf(client, hash)))
  done()
  if (alone.some((receipt) => receipt?.blockHash !== block.hash)) throw new NodeIsBehind()
  const loggers = [...addressesIn(receipts), ...addressesIn(alone.filter((receipt) => receipt !== undefined))]
  return [...new Set(loggers)].slice(0, SOME)
}

const logsOfBlock = (client: PublicClient, { number }: FilledBlock, address: ReadonlyArray<Hex>) =>
  client.request({
    method: "eth_getLogs",
    params: [{ address: [...address], fromBlock: numberToHex(number), toBlock: numberToHex(number) }]
  })

/**
 * Throws unless the node has the logs of the range, which it has been asked for before: it may prune at any time, but
 * the oldest first.
 */
export const assertLogsKept = async (client: PublicClient, range: ReadRange, steps: Steps): Promise<void> => {
  if (range.head - range.from <= KEPT_BLOCKS) return
  let tried = 0
  for await (const block of filledBlocks(client, range, steps)) {
    const loggers = await loggersIn(client, block, steps)
    // No answer is no claim that there are none, and a stranger can make a block's logs too many for one.
    const shown = loggers.length === 0 ? undefined : await ifTold(logsOfBlock(client, block, loggers))
    steps.done()
    if (shown !== undefined) {
      if (shown.some(({ blockHash }) => blockHash === block.hash)) return
      throw new NodeIsBehind()
    }
    tried += 1
    if (tried === MOST_TRIED) return
  }
}
