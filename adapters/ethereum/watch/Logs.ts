/**
 * The logs of a range of blocks, however many there are.
 *
 * SECURITY: anyone can put more logs into a few blocks than a node returns in one answer, or in time. A refused range is
 * halved, down to one block. A refused block is read through its receipts, and where those are refused, too, through one
 * receipt after the other. After an answer that took too long, fewer blocks are asked for (`LogSpans`). So no stranger
 * can hide later logs or stop a scan.
 *
 * That a range has no logs is the node's word, also where it has pruned them: `assertLogsKept` is for the caller.
 */
import { BaseError, HttpRequestError, numberToHex, RpcRequestError } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Steps } from "../../endpoints/AskEndpoint.ts"
import { receiptOf } from "../observe/Receipt.ts"
import type { Place } from "../observe/Receipt.ts"
import { NodeIsBehind } from "../rpc/EthereumRpc.ts"
import type { LogSpans } from "./LogSpans.ts"

/** In the form of `eth_getLogs`. */
export interface LogFilter {
  readonly addresses: ReadonlyArray<Hex>
  /** By position: one of these. Null matches anything. */
  readonly topics: ReadonlyArray<ReadonlyArray<Hex> | null>
}

export interface Log extends Place {
  readonly logIndex: number
  readonly data: Hex
}

interface RawLog {
  readonly address: Hex
  readonly blockHash: Hex | null
  readonly blockNumber: Hex | null
  readonly data: Hex
  readonly logIndex: Hex | null
  readonly topics: ReadonlyArray<Hex>
  readonly transactionHash: Hex | null
}

/** Null fields only occur in a block that does not exist yet. */
const toLog = ({ blockHash, blockNumber, data, logIndex, transactionHash }: RawLog): ReadonlyArray<Log> =>
  blockHash === null || blockNumber === null || logIndex === null || transactionHash === null
    ? []
    : [{ blockHash, blockNumber: BigInt(blockNumber), data, logIndex: Number(logIndex), transactionHash }]

const isAmong = (given: Hex | undefined, wanted: ReadonlyArray<Hex>): boolean =>
  given !== undefined && wanted.some((each) => each.toLowerCase() === given.toLowerCase())

const passes = ({ addresses, topics }: LogFilter, log: Pick<RawLog, "address" | "topics">): boolean =>
  isAmong(log.address, addresses) &&
  topics.every((wanted, position) => wanted === null || isAmong(log.topics[position], wanted))

const inRange = async (client: PublicClient, { addresses, topics }: LogFilter, from: bigint, to: bigint) => {
  const found = await client.request({
    method: "eth_getLogs",
    params: [{
      address: [...addresses],
      topics: topics.map((wanted) => wanted === null ? null : [...wanted]),
      fromBlock: numberToHex(from),
      toBlock: numberToHex(to)
    }]
  })
  return found.flatMap(toLog)
}

interface Receipt {
  readonly logs: ReadonlyArray<RawLog>
}

/** Filters like a node. A log of a block that was replaced meanwhile names another block, and is detected by that. */
const logsOf = (filters: ReadonlyArray<LogFilter>, receipts: ReadonlyArray<Receipt>): ReadonlyArray<Log> =>
  receipts.flatMap(({ logs }) => logs.filter((log) => filters.some((filter) => passes(filter, log))).flatMap(toLog))

const inBlock = async (client: PublicClient, filters: ReadonlyArray<LogFilter>, block: bigint) => {
  const receipts = await client.request({ method: "eth_getBlockReceipts", params: [numberToHex(block)] })
  // A node knows no logs of a block that it lacks. That does not mean that there are none.
  if (receipts === null) throw new NodeIsBehind()
  return logsOf(filters, receipts)
}

/** Receipts of one request, each of which may have as many logs as a transaction can. */
const AT_ONCE = 8

/** The same, where a block's receipts are too many for one answer. */
const byReceipt = async (client: PublicClient, filters: ReadonlyArray<LogFilter>, block: bigint, { done }: Steps) => {
  const { hash, transactions } = await client.getBlock({ blockNumber: block })
  const logs: Array<Log> = []
  for (let next = 0; next < transactions.length; next += AT_ONCE) {
    const some = transactions.slice(next, next + AT_ONCE)
    for (const receipt of await Promise.all(some.map((transaction) => receiptOf(client, transaction)))) {
      if (receipt?.blockHash !== hash) throw new NodeIsBehind()
      const { blockHash, blockNumber } = receipt
      for (const log of receipt.logs) {
        if (!filters.some((filter) => passes(filter, log))) continue
        const { data, logIndex, transactionHash } = log
        logs.push({ blockHash, blockNumber, data, logIndex, transactionHash })
      }
    }
    done()
  }
  return logs
}

/** HTTP statuses that mean: the question is too large. */
const TOO_MUCH: ReadonlyArray<number | undefined> = [400, 413]

/** The node refuses to answer this question. Not that it is away, or wants a key. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) =>
      cause instanceof RpcRequestError || (cause instanceof HttpRequestError && TOO_MUCH.includes(cause.status))
    ) !== null

/** Undefined when the node refuses to answer. */
const unlessRefused = <A>(asked: Promise<A>): Promise<A | undefined> =>
  asked.catch((error: unknown) => {
    if (isRefusal(error)) return undefined
    throw error
  })

/** In no order. Undefined when the node refuses the range, which is then halved for all filters together. */
const allInRange = (client: PublicClient, filters: ReadonlyArray<LogFilter>, from: bigint, to: bigint) =>
  unlessRefused(Promise.all(filters.map((filter) => inRange(client, filter, from, to))).then((found) => found.flat()))

/** How a walk goes: in steps, each of a request, for as many blocks as the endpoint answers for in time. */
export interface Pace {
  readonly steps: Steps
  readonly spans: LogSpans
}

const inOrder = (logs: ReadonlyArray<Log>): ReadonlyArray<Log> =>
  logs.toSorted((one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex)

/** Waits for a request for so many blocks, and remembers how it went. */
const paced = async <A>(client: PublicClient, { spans, steps }: Pace, blocks: bigint, asked: Promise<A>) => {
  try {
    const answer = await asked
    spans.answered(client)
    steps.done()
    return answer
  } catch (error) {
    spans.failed(client, blocks, error)
    throw error
  }
}

const walkRange = async function*(
  client: PublicClient,
  filters: ReadonlyArray<LogFilter>,
  from: bigint,
  to: bigint,
  pace: Pace
): AsyncGenerator<Log, void> {
  const blocks = to - from + 1n
  const found = await paced(client, pace, blocks, allInRange(client, filters, from, to))
  if (found !== undefined) return yield* inOrder(found)
  if (from < to) {
    const middle = from + (to - from) / 2n
    yield* walkRange(client, filters, from, middle, pace)
    return yield* walkRange(client, filters, middle + 1n, to, pace)
  }
  const inReceipts = await paced(client, pace, blocks, unlessRefused(inBlock(client, filters, from)))
  yield* inOrder(inReceipts ?? await byReceipt(client, filters, from, pace.steps))
}

/**
 * Logs that match one of the filters, in the chain's order, from one block to another, both included. Read lazily: a
 * caller that stops early causes no more requests.
 */
export const walkLogs = async function*(
  client: PublicClient,
  filters: ReadonlyArray<LogFilter>,
  from: bigint,
  to: bigint,
  pace: Pace
): AsyncGenerator<Log, void> {
  const asked = filters.filter(({ addresses }) => addresses.length > 0)
  for (let next = from; next <= to && asked.length > 0;) {
    const span = pace.spans.of(client)
    if (span === 0n) {
      yield* inOrder(await paced(client, pace, 1n, byReceipt(client, asked, next, pace.steps)))
      next += 1n
      continue
    }
    const end = next + span - 1n < to ? next + span - 1n : to
    yield* walkRange(client, asked, next, end, pace)
    next = end + 1n
  }
}
