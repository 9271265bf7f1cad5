/**
 * Deposits of a Tron chain (TRON-6). Scans from a cursor find them by logs; rechecks read their transaction.
 *
 * A reorg shows as a cursor block whose hash is no longer in the chain. The scan then goes back far enough to see every
 * deposit again. Recording is idempotent, so going back too far only costs time.
 */
import { Effect, Layer } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor, FinalScan, Scan, Standing } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { FinalityNow } from "../../../src/domain/chain/FinalityNow.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { depositRead } from "../../endpoints/DepositRead.ts"
import { readFinality } from "../../endpoints/ReadFinality.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronClient, TronFault, TronRead } from "../rpc/TronRpc.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { readHeads as readAgreedHeads } from "../../endpoints/ReadHeads.ts"
import { assertNotIn, assertSolid, readHashAt, readHeads } from "./Blocks.ts"
import type { ReadHeads } from "./Blocks.ts"
import { readDeposits } from "./Deposits.ts"
import { assertLogsKept } from "./KeptLogs.ts"
import { Completed, scanRange } from "./ScanDeposits.ts"
import type { Range } from "./ScanDeposits.ts"

/** How far a scan goes back when the cursor's block has vanished: further than solidified blocks are behind. */
const REWIND_BLOCKS = 128n

/** Blocks that every scan reads again: a node may know a block before it knows all of its logs. */
const OVERLAP_BLOCKS = 12n

/** The most blocks of one scan, so that a long absence is caught up in steps that each survive a restart. */
const MAX_RANGE = 1_000n

const rewound = ({ height }: Cursor, blocks: bigint): bigint => height > blocks ? height - blocks : 0n

const endOf = (from: bigint, last: bigint): bigint => last - from >= MAX_RANGE ? from + MAX_RANGE - 1n : last

/** A range, and the cursor behind it. */
const scanTo = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    completed: Completed,
    heads: ReadHeads,
    range: Range,
    deadline: number
  ): Effect.fn.Return<FinalScan, TronFault> {
    const { deposits, early, to } = yield* scanRange(node, chain, completed, range, deadline)
    yield* assertLogsKept(node, { from: range.from, to: range.to, head: heads.head.height }, deadline)
    if (early !== undefined) return { deposits, cursor: early }
    const hash = yield* readHashAt(node, heads, to, deadline)
    return hash === undefined ? yield* Effect.fail("behind" as const) : { deposits, cursor: { height: to, hash } }
  }
)

const scanFrom = (chain: Chain, completed: Completed, cursor: Cursor): TronRead<Scan> =>
  Effect.fnUntraced(function*(node, deadline) {
    const heads = yield* readHeads(node, chain, deadline)
    const { head } = heads
    const known = yield* readHashAt(node, heads, cursor.height, deadline)
    const unchanged = known === cursor.hash
    // A node behind the cursor has no answer: the cursor stays until the node has caught up.
    if (head.height < cursor.height || (head.height === cursor.height && (unchanged || known === undefined))) {
      return { cursor, head, deposits: [] }
    }
    // One whose history begins after the cursor has no logs from there, and never will: another one is asked.
    if (known === undefined) return yield* Effect.fail("behind" as const)
    const from = rewound(cursor, unchanged ? OVERLAP_BLOCKS : REWIND_BLOCKS)
    const range = { from, to: endOf(from, head.height), cursor: cursor.height }
    return { head, ...yield* scanTo(node, chain, completed, heads, range, deadline) }
  })

/** Not beyond the final block, and no overlap: all nodes have had its logs for a while. */
const scanUpTo = (chain: Chain, completed: Completed, cursor: Cursor, final: Cursor): TronRead<FinalScan> =>
  Effect.fnUntraced(function*(node, deadline) {
    const heads = yield* readHeads(node, chain, deadline)
    const newest = yield* readHashAt(node, heads, final.height, deadline)
    if (newest !== final.hash || heads.head.height < final.height) return yield* Effect.fail("behind" as const)
    const known = yield* readHashAt(node, heads, cursor.height, deadline)
    const from = known === cursor.hash ? cursor.height + 1n : rewound(cursor, REWIND_BLOCKS)
    if (from > final.height) return { cursor: final, deposits: [] }
    const range = { from, to: endOf(from, final.height), cursor: cursor.height }
    return yield* scanTo(node, chain, completed, heads, range, deadline)
  })

const standingOf = (chain: Chain, deposit: Deposit): TronRead<Standing> =>
  Effect.fnUntraced(function*(node, deadline) {
    // The heads first: what the node shows afterwards is at least as new.
    const heads = yield* readHeads(node, chain, deadline)
    const deposits = yield* readDeposits(node, chain, deposit.transactionId, deadline)
    if (deposits === undefined) {
      yield* assertNotIn(node, heads, deposit.block, deposit.transactionId, deadline)
      return { _tag: "Gone" }
    }
    const found = deposits.find(({ onchainId }) => onchainId === deposit.onchainId)
    if (found === undefined) return { _tag: "Gone" }
    const { block } = found
    yield* assertSolid(node, heads, block, deadline)
    const { finalHeight, head } = heads
    const confirmations = head.height >= block.height ? Number(head.height - block.height) + 1 : 1
    return { _tag: "Included", block, confirmations, final: block.height <= finalHeight, deposits }
  })

const finalityAt = (chain: Chain, height: bigint | undefined): TronRead<FinalityNow> =>
  Effect.fnUntraced(function*(node, deadline) {
    const heads = yield* readHeads(node, chain, deadline)
    const hashAt = (at: bigint) => readHashAt(node, heads, at, deadline)
    const found = height === undefined ? undefined : yield* hashAt(height)
    const { finalHeight } = heads
    const hash = finalHeight < 0n ? undefined : yield* hashAt(finalHeight)
    return { found, newest: hash === undefined ? undefined : { height: finalHeight, hash } }
  })

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    // SECURITY: a look at final blocks takes nothing from a scan. What a node showed to that, it might not show any more.
    const [byScans, byLooks] = [new Completed(), new Completed()]
    const read = <A>(chain: Chain, operation: string, of: TronRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    return DepositWatcher.of({
      head: (chain) =>
        Effect.map(read(chain, "head", (node, deadline) => readHeads(node, chain, deadline)), ({ head }) => head),
      heads: (chain, by) =>
        readAgreedHeads(rpc, chain, by, (client) =>
          client.read((node, deadline) =>
            Effect.map(
              readHeads(node, chain, deadline),
              ({ finalHeight, head: { hash, height } }) => ({ finalHeight, hash, height })
            )
          )),
      scan: (chain, cursor) => read(chain, "deposit scan", scanFrom(chain, byScans, cursor)),
      scanFinal: (chain, from, final) =>
        scanFinal(rpc, chain, final, (client) => client.read(scanUpTo(chain, byLooks, from, final))),
      look: (chain, id) =>
        read(chain, "deposits of a transaction", (node, deadline) => readDeposits(node, chain, id, deadline)),
      standing: (chain: Chain, deposit: Deposit, by: ReadBy) =>
        rpc.witnessed(chain, depositRead((client: TronClient) => client.read(standingOf(chain, deposit))), by),
      finality: (chain, remembered, asked) =>
        readFinality(rpc, chain, remembered, asked, (client, height) => client.read(finalityAt(chain, height)))
    })
  })
)
