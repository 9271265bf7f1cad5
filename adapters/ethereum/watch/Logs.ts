/**
 * The logs of a range of blocks, however many there are.
 *
 * SECURITY: anyone can put more logs into a few blocks than a node returns in one answer. A refused range is halved,
 * down to one block, and a refused block is read through its receipts. So no stranger can hide later logs.
 */
import { BaseError, HttpRequestError, numberToHex, RpcRequestError } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Place } from "../observe/Receipt.ts"
import { NodeIsBehind } from "../rpc/EthereumRpc.ts"

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

const passes = ({ addresses, topics }: LogFilter) => (log: RawLog): boolean =>
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

/** Filters like a node. A log of a block that was replaced meanwhile names another block, and is detected by that. */
const inBlock = async (client: PublicClient, filter: LogFilter, block: bigint) => {
  const receipts = await client.request({ method: "eth_getBlockReceipts", params: [numberToHex(block)] })
  // A node knows no logs of a block that it lacks. That does not mean that there are none.
  if (receipts === null) throw new NodeIsBehind()
  return receipts.flatMap(({ logs }) => logs.filter(passes(filter)).flatMap(toLog))
}

/** HTTP statuses that mean: the question is too large. */
const TOO_MUCH: ReadonlyArray<number | undefined> = [400, 413]

/** The node refuses to answer this question. Not that it is away, or wants a key. */
const isRefusal = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) =>
      cause instanceof RpcRequestError || (cause instanceof HttpRequestError && TOO_MUCH.includes(cause.status))
    ) !== null

/** In no order. A range is halved for all `filters` together. */
const all = async (
  filters: ReadonlyArray<LogFilter>,
  ask: (filter: LogFilter) => Promise<ReadonlyArray<Log>>
): Promise<ReadonlyArray<Log>> =>
  (await Promise.all(filters.filter(({ addresses }) => addresses.length > 0).map(ask))).flat()

/**
 * Logs that match one of the filters, in the chain's order, from one block to another, both included. Read lazily: a
 * caller that stops early causes no more requests.
 */
export const walkLogs = async function*(
  client: PublicClient,
  filters: ReadonlyArray<LogFilter>,
  from: bigint,
  to: bigint
): AsyncGenerator<Log, void> {
  const found = await all(filters, (filter) => inRange(client, filter, from, to)).catch((error: unknown) => {
    if (isRefusal(error)) return undefined
    throw error
  })
  if (found === undefined && from < to) {
    const middle = from + (to - from) / 2n
    yield* walkLogs(client, filters, from, middle)
    return yield* walkLogs(client, filters, middle + 1n, to)
  }
  yield* (found ?? await all(filters, (filter) => inBlock(client, filter, from))).toSorted((one, other) =>
    Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex
  )
}
