/**
 * Reads the blocks after a cursor, a part of them in each scan. A block that was replaced shows as another hash at the
 * cursor's height: the scan goes back to where the chain left it. What is found is recorded idempotently, so going back
 * too far only costs time.
 */
import { Effect } from "effect"
import type { Cursor, FinalScan, Head } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BitcoinFault, BitcoinRead } from "../rpc/BitcoinRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readFork, readHashAt, readHead } from "./Blocks.ts"

/**
 * How far a scan goes back when the node does not remember the cursor's block: a day, and further than any reorg that
 * was survived.
 */
const REWIND_BLOCKS = 144n

/** Blocks of one scan: a block has up to four megabytes, and all of them share the deadline of one read. */
const BLOCKS_A_SCAN = 12

export interface Scanned<A> {
  readonly cursor: Cursor
  readonly head: Head
  /** In the order of the chain. */
  readonly found: ReadonlyArray<A>
}

const forkOf = (rpc: CoreRpc, cursor: Cursor, deadline: number) =>
  Effect.map(
    readFork(rpc, cursor, REWIND_BLOCKS, deadline),
    (fork) => fork ?? (cursor.height > REWIND_BLOCKS ? cursor.height - REWIND_BLOCKS : 0n)
  )

/** What one block holds, by its hash. */
type ReadBlock<A> = (rpc: CoreRpc, hash: string, deadline: number) => Effect.Effect<ReadonlyArray<A>, BitcoinFault>

/** The blocks after a height, up to another one at most. `last`: undefined when there is no block to read. */
const readBlocks = Effect.fnUntraced(function*<A>(
  rpc: CoreRpc,
  head: Cursor,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  readBlock: ReadBlock<A>,
  deadline: number
): Effect.fn.Return<{ readonly found: ReadonlyArray<A>; readonly last: Cursor | undefined }, BitcoinFault> {
  const found: Array<A> = []
  let last: Cursor | undefined
  for (let height = from + 1n; height <= to && height <= from + BigInt(BLOCKS_A_SCAN); height += 1n) {
    const hash = yield* readHashAt(rpc, head, height, deadline)
    if (hash === undefined) return yield* Effect.fail("behind" as const)
    found.push(...yield* readBlock(rpc, hash, deadline))
    last = { height, hash }
  }
  return { found, last }
})

/** The blocks after the cursor, up to the newest one. */
export const scanBlocks = <A>(chain: Chain, cursor: Cursor, readBlock: ReadBlock<A>): BitcoinRead<Scanned<A>> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const { finalHeight: _, ...head } = yield* readHead(rpc, chain, deadline)
    const known = yield* readHashAt(rpc, head, cursor.height, deadline)
    // The node is behind the cursor and has no answer: the cursor stays until the node has caught up.
    if (known === undefined || (known === cursor.hash && head.height === cursor.height)) {
      return { cursor, head, found: [] }
    }
    const from = known === cursor.hash ? cursor.height : yield* forkOf(rpc, cursor, deadline)
    const { found, last = cursor } = yield* readBlocks(rpc, head, { from, to: head.height }, readBlock, deadline)
    return { cursor: last, head, found }
  })

/** The deposits after the cursor, not beyond the final block. */
export const scanFinalBlocks = (
  chain: Chain,
  cursor: Cursor,
  final: Cursor,
  readBlock: ReadBlock<FinalScan["deposits"][number]>
): BitcoinRead<FinalScan> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const head = yield* readHead(rpc, chain, deadline)
    const newest = yield* readHashAt(rpc, head, final.height, deadline)
    if (newest !== final.hash) return yield* Effect.fail("behind" as const)
    const known = yield* readHashAt(rpc, head, cursor.height, deadline)
    const from = known === cursor.hash ? cursor.height : yield* forkOf(rpc, cursor, deadline)
    const { found, last = final } = yield* readBlocks(rpc, head, { from, to: final.height }, readBlock, deadline)
    return { cursor: last, deposits: found }
  })
