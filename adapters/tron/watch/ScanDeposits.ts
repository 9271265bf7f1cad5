/**
 * Deposits in a range of blocks of one Tron node: the logs of the depository, and of tokens sent to it, name the
 * transactions, and each of them is read like evidence.
 */
import { Effect, Result } from "effect"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { topics } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import { accountOfTron } from "../../../src/domain/families/tron/TronAddresses.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { TronFault } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { readDeposits } from "./Deposits.ts"
import { readLogs } from "./Logs.ts"
import type { FoundLog, LogFilter } from "./Logs.ts"
import { Remembered } from "./Remembered.ts"
import type { Place } from "./Remembered.ts"

/** A range ends early, at the end of a block, after this many transactions: each takes three requests. */
const MANY = 200

/** Accounts of the configuration, which was parsed. */
const evmAccount = (text: string): string => Result.getOrThrow(accountOfTron(text))

const filtersOf = ({ currencies, depository }: Chain): ReadonlyArray<LogFilter> => {
  const own = evmAccount(depository)
  const tokens = currencies.filter(({ isNative }) => !isNative).map(({ address }) => evmAccount(address))
  return [
    { addresses: [own], topics: [[topics.nativeDeposit, topics.erc20Deposit]] },
    { addresses: tokens, topics: [[topics.transfer], null, [`0x${own.slice(2).padStart(64, "0")}`]] }
  ]
}

/** Each transaction once, in the chain's order: its logs are adjacent. */
const placesOf = (chain: Chain, logs: ReadonlyArray<FoundLog>): ReadonlyArray<Place> =>
  logs.flatMap(({ blockHash, blockNumber, transactionHash }, index) => {
    const before = logs[index - 1]
    if (before?.transactionHash === transactionHash && before.blockHash === blockHash) return []
    const id = Result.getOrThrow(parseTransactionId(chain.family, transactionHash.slice(2)))
    return [{ id, height: blockNumber, hash: blockHash.slice(2) }]
  })

/** The end of the first block above the cursor at which many transactions were read. */
const earlyEnd = (places: ReadonlyArray<Place>, cursor: bigint): number => {
  const index = places.findIndex(({ height }, at) => {
    const last = places[at - 1]
    return at >= MANY && last !== undefined && last.height > cursor && last.height < height
  })
  return index < 0 ? places.length : index
}

/** The deposits of transactions in blocks, by node: scans overlap, but reads need not. */
export class Completed extends Remembered<ReadonlyArray<Deposit>> {}

const readPlace = (node: TronNode, chain: Chain, { hash, id }: Place, deadline: number) =>
  Effect.flatMap(
    readDeposits(node, chain, id, deadline),
    (deposits): Effect.Effect<ReadonlyArray<Deposit>, TronFault> =>
      // The logs were there a moment ago. A node that lacks their transaction now has no answer yet.
      deposits === undefined || deposits.some(({ block }) => block.hash !== hash)
        ? Effect.fail("behind")
        : Effect.succeed(deposits)
  )

export interface Range {
  readonly from: bigint
  readonly to: bigint
  /** When the range ends early, it ends beyond this height. */
  readonly cursor: bigint
}

export interface ScannedRange {
  readonly deposits: ReadonlyArray<Deposit>
  /** The last height that was read. */
  readonly to: bigint
  /** Where the range has ended, when transactions were left out. */
  readonly early: Cursor | undefined
}

export const scanRange = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    completed: Completed,
    { cursor, from, to }: Range,
    deadline: number
  ): Effect.fn.Return<ScannedRange, TronFault> {
    const read = yield* readLogs(node, filtersOf(chain), { from, to, beyond: cursor }, deadline)
    const places = placesOf(chain, read.logs)
    const end = earlyEnd(places, cursor)
    const deposits = yield* completed.all(
      node,
      places.slice(0, end),
      (place) => readPlace(node, chain, place, deadline)
    )
    const last = places[end - 1]
    const early = end < places.length && last !== undefined ? { height: last.height, hash: last.hash } : undefined
    return { deposits: deposits.flat(), to: early?.height ?? read.to, early }
  }
)
