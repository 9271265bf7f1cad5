/**
 * The places of logs in a range of blocks, however many there are.
 *
 * SECURITY: anyone can put more logs into a few blocks than a node returns in one answer. A refused range is halved, down
 * to one block, and a refused block is read through its receipts. So no stranger can hide later logs.
 */
import { Effect, Result, Schema } from "effect"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import { Count, Quantity } from "../../quorum/rpc/EvmReceipt.ts"
import { undecodable } from "../observe/ReadPlace.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"

/** In the form of `eth_getLogs`. By position: one of these topics; null matches anything. */
export interface LogFilter {
  readonly addresses: ReadonlyArray<string>
  readonly topics: ReadonlyArray<ReadonlyArray<string> | null>
}

const RawLog = Schema.Struct({
  address: EthereumAddress,
  topics: Schema.Array(Hex32FromString),
  blockHash: Hex32FromString,
  blockNumber: Quantity,
  logIndex: Count,
  transactionHash: Hex32FromString
})
export type FoundLog = typeof RawLog.Type

const decodeLogs = Schema.decodeUnknownEffect(Schema.Array(RawLog))
const decodeReceipts = Schema.decodeUnknownEffect(
  Schema.NullOr(Schema.Array(Schema.Struct({ logs: Schema.Array(RawLog) })))
)

const hex = (height: bigint): string => `0x${height.toString(16)}`

const passes = ({ addresses, topics }: LogFilter) => (log: FoundLog): boolean =>
  addresses.includes(log.address) &&
  topics.every((wanted, position) => wanted === null || wanted.includes(log.topics[position] ?? ""))

const inRange = Effect.fnUntraced(
  function*(
    { jsonRpc }: TronNode,
    { addresses, topics }: LogFilter,
    from: bigint,
    to: bigint,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<FoundLog>, TronFault> {
    const filter = { address: addresses, topics, fromBlock: hex(from), toBlock: hex(to) }
    const [told] = yield* jsonRpc([{ method: "eth_getLogs", params: [filter] }], deadline)
    return yield* undecodable(decodeLogs(told))
  }
)

/** Logs of these contracts in one block, as the node's index finds them. */
export const logsAt = (node: TronNode, height: bigint, addresses: ReadonlyArray<string>, deadline: number) =>
  inRange(node, { addresses, topics: [] }, height, height, deadline)

/** The logs of a block's receipts. A node that lacks the block knows none of its logs, which is not that there are none. */
export const loggedIn = Effect.fnUntraced(
  function*(
    { jsonRpc }: TronNode,
    height: bigint,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<FoundLog>, TronFault> {
    const [told] = yield* jsonRpc([{ method: "eth_getBlockReceipts", params: [hex(height)] }], deadline)
    const receipts = yield* undecodable(decodeReceipts(told))
    return receipts === null ? yield* Effect.fail("behind" as const) : receipts.flatMap(({ logs }) => logs)
  }
)

/** In the chain's order. */
const inOrder = (logs: ReadonlyArray<FoundLog>): ReadonlyArray<FoundLog> =>
  logs.toSorted((one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex)

/** Requests of one read: all of them share its deadline. */
const MOST_PARTS = 40

export interface LogRange {
  readonly from: bigint
  readonly to: bigint
  /** A read that takes many requests ends early, but beyond this height. */
  readonly beyond: bigint
}

/**
 * Logs that match one of the filters, in the chain's order, from one block to another, both included. `to` of the answer
 * is the last block that was read.
 */
export const readLogs = Effect.fnUntraced(
  function*(
    node: TronNode,
    filters: ReadonlyArray<LogFilter>,
    { beyond, from, to }: LogRange,
    deadline: number
  ): Effect.fn.Return<{ readonly logs: ReadonlyArray<FoundLog>; readonly to: bigint }, TronFault> {
    const asked = filters.filter(({ addresses }) => addresses.length > 0)
    const logs: Array<FoundLog> = []
    let [next, blocks] = [from, to - from + 1n]
    for (let parts = 0; next <= to && (parts < MOST_PARTS || next <= beyond + 1n); parts += 1) {
      const end = next + blocks > to ? to : next + blocks - 1n
      const found = yield* Effect.result(
        Effect.forEach(asked, (filter) => inRange(node, filter, next, end, deadline), { concurrency: 2 })
      )
      if (Result.isFailure(found) && found.failure !== "refused") return yield* Effect.fail(found.failure)
      if (Result.isFailure(found) && end > next) {
        blocks = (end - next + 1n) / 2n
        continue
      }
      const held = Result.isSuccess(found)
        ? found.success.flat()
        : (yield* loggedIn(node, next, deadline)).filter((log) => asked.some((filter) => passes(filter)(log)))
      logs.push(...inOrder(held))
      next = end + 1n
      // What was refused may be in one block alone.
      blocks *= 2n
    }
    return { logs, to: next - 1n }
  }
)
