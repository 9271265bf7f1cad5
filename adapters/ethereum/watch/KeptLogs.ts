/**
 * Whether a node still has the logs of old blocks (EVM-7).
 *
 * A node that has pruned receipts, or only its index of logs, may answer `eth_getLogs` with an empty list and no error:
 * like a node that has them, where there are none. A scan that believes it passes deposits for ever. So where a scan
 * begins far below the head, the node has to show the logs of a block there that has some.
 * A limit of requests is no refusal (EVM-10).
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

/** The first blocks of a range are read themselves, ever more of them at once while they are empty. */
const PARTS = [1, 2, 4, 8, 16, 32]

/** Later ones only where they have used gas, of which a node tells so many blocks at once; and so many of them. */
const TOLD_AT_ONCE = 1_024n
const MOST_LATER = 32

/** The most blocks with transactions of which one must have a log. */
const MOST_TRIED = 4

/** The most transactions that are asked for alone, and the most contracts whose logs are asked for. */
const SOME = 8

/** The root of receipts in the header of a block that has none: keccak256 of the empty trie. */
const NO_RECEIPTS = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"

/** What was read of a chain, and its head then. */
interface ReadRange {
  readonly from: bigint
  readonly to: bigint
  readonly head: bigint
}

interface FilledBlock {
  readonly hash: Hex
  readonly number: bigint
  readonly receiptsRoot: Hex
  readonly transactions: ReadonlyArray<Hex>
}

const span = (from: bigint, to: bigint): ReadonlyArray<bigint> =>
  Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index))

const lesser = (one: bigint, other: bigint): bigint => one < other ? one : other

/** The blocks that have used gas, by the history of fees: a request for a thousand. None where a node does not tell. */
const gasUsers = async function*(
  client: PublicClient,
  from: bigint,
  to: bigint,
  { done }: Steps
): AsyncGenerator<bigint, void> {
  for (let next = from; next <= to; next += TOLD_AT_ONCE) {
    const last = lesser(next + TOLD_AT_ONCE - 1n, to)
    const blockCount = Number(last - next) + 1
    const told = await ifTold(client.getFeeHistory({ blockCount, blockNumber: last, rewardPercentiles: [] }))
    done()
    if (told === undefined) return
    for (const [at, used] of told.gasUsedRatio.entries()) {
      const height = told.oldestBlock + BigInt(at)
      if (used > 0 && height >= next && height <= last) yield height
    }
  }
}

/** From the range's beginning. */
const filledBlocks = async function*(
  client: PublicClient,
  { from, to }: ReadRange,
  steps: Steps
): AsyncGenerator<FilledBlock, void> {
  const readBlocks = async (heights: ReadonlyArray<bigint>): Promise<ReadonlyArray<FilledBlock>> => {
    const blocks = await Promise.all(heights.map((blockNumber) => client.getBlock({ blockNumber })))
    steps.done()
    return blocks.filter(({ transactions }) => transactions.length > 0)
  }
  let next = from
  for (const blocks of PARTS) {
    if (next > to) return
    const last = lesser(next + BigInt(blocks) - 1n, to)
    yield* await readBlocks(span(next, last))
    next = last + 1n
  }
  let later = 0
  for await (const height of gasUsers(client, next, to, steps)) {
    yield* await readBlocks([height])
    later += 1
    if (later === MOST_LATER) return
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
 * a block, so that what is missing there is asked for alone; some chains make no receipt for them at all. So a node
 * lacks the receipts where it shows none of the block's, though its header says that there are some. Undefined where the
 * header says that there are none.
 */
const loggersIn = async (
  client: PublicClient,
  block: FilledBlock,
  { done }: Steps
): Promise<ReadonlyArray<Hex> | undefined> => {
  const receipts = await allReceipts(client, block)
  done()
  const known = new Set(receipts.map(({ transactionHash }) => transactionHash))
  const missing = block.transactions.filter((hash) => !known.has(hash)).slice(0, SOME)
  const asked = await Promise.all(missing.map((hash) => receiptOf(client, hash)))
  done()
  const alone = asked.flatMap((receipt) => receipt?.blockHash === block.hash ? [receipt] : [])
  if (receipts.length === 0 && alone.length === 0) {
    if (block.receiptsRoot === NO_RECEIPTS) return undefined
    throw new NodeIsBehind()
  }
  return [...new Set([...addressesIn(receipts), ...addressesIn(alone)])].slice(0, SOME)
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
    if (loggers === undefined) continue
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
