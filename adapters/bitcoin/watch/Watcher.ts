/**
 * Deposits of a Bitcoin chain (BITCOIN-8). A scan reads each block after the cursor, by the bytes of the block alone, so it needs no
 * index of addresses; a deposit's own transaction is then read like evidence. Rechecks read the transaction by its id.
 *
 * A block that was replaced shows as another hash at the cursor's height. The scan then goes back to where the chain
 * left it. Recording is idempotent, so going back too far only costs time.
 *
 * SECURITY: only blocks count. Every transaction that waits can be replaced, whatever it signals, so none is a deposit.
 */
import { Effect, Layer } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor, FinalScan, Scan, Standing } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { FinalityNow } from "../../../src/domain/chain/FinalityNow.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { depositRead } from "../../endpoints/DepositRead.ts"
import { readFinality } from "../../endpoints/ReadFinality.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinClient, BitcoinFault, BitcoinRead } from "../rpc/BitcoinRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHeader } from "../observe/ReadPlace.ts"
import { readFork, readHashAt, readHead, readHolds, readPayers } from "./Blocks.ts"
import { readDeposits, readDepositsOf } from "./Deposits.ts"

/**
 * How far a scan goes back when the node does not remember the cursor's block: a day, and further than any reorg that
 * was survived.
 */
const REWIND_BLOCKS = 144n

/** Blocks of one scan: a block has up to four megabytes, and all of them share the deadline of one read. */
const BLOCKS_A_SCAN = 12

/** Transactions that one request asks for: anybody can pay the depository thousands of times in one block. */
const TRANSACTIONS_AT_ONCE = 200

/** For the deposits of blocks that were read before a scan failed: the next one goes on where it ended. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024

/** By endpoint and by the hash of a block: what a block holds never changes. */
interface Remembered {
  readonly clients: ClientNames<CoreRpc>
  readonly known: ByteBoundedCache<ReadonlyArray<Deposit>>
}

const depositsAt = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    chain: Chain,
    hash: string,
    remembered: Remembered,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<Deposit>, BitcoinFault> {
    const payers = yield* readPayers(rpc, chain, hash, deadline)
    if (payers.length === 0) return []
    const block = yield* readHeader(rpc, hash, deadline)
    const found: Array<Deposit> = []
    for (let from = 0; from < payers.length; from += TRANSACTIONS_AT_ONCE) {
      const key = `${remembered.clients.nameOf(rpc)}:${chain.id}:${hash}:${from}`
      const some = payers.slice(from, from + TRANSACTIONS_AT_ONCE)
      const deposits = remembered.known.find(key) ?? (yield* readDepositsOf(rpc, chain, some, block, deadline))
      remembered.known.keep(key, deposits)
      found.push(...deposits)
    }
    return found
  }
)

const forkOf = (rpc: CoreRpc, cursor: Cursor, deadline: number) =>
  Effect.map(
    readFork(rpc, cursor, REWIND_BLOCKS, deadline),
    (fork) => fork ?? (cursor.height > REWIND_BLOCKS ? cursor.height - REWIND_BLOCKS : 0n)
  )

/** The blocks after a height, up to another one at most. `upTo` is undefined when there is no block to read. */
const blocksAfter = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  head: Cursor,
  from: bigint,
  to: bigint,
  remembered: Remembered,
  deadline: number
): Effect.fn.Return<{ readonly deposits: ReadonlyArray<Deposit>; readonly upTo: Cursor | undefined }, BitcoinFault> {
  const deposits: Array<Deposit> = []
  let upTo: Cursor | undefined
  for (let height = from + 1n; height <= to && height <= from + BigInt(BLOCKS_A_SCAN); height += 1n) {
    const hash = yield* readHashAt(rpc, head, height, deadline)
    if (hash === undefined) return yield* Effect.fail("behind" as const)
    deposits.push(...yield* depositsAt(rpc, chain, hash, remembered, deadline))
    upTo = { height, hash }
  }
  return { deposits, upTo }
})

/** Not beyond the final block. */
const scanUpTo = (chain: Chain, cursor: Cursor, final: Cursor, remembered: Remembered): BitcoinRead<FinalScan> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const head = yield* readHead(rpc, chain, deadline)
    const last = yield* readHashAt(rpc, head, final.height, deadline)
    if (last !== final.hash) return yield* Effect.fail("behind" as const)
    const known = yield* readHashAt(rpc, head, cursor.height, deadline)
    const from = known === cursor.hash ? cursor.height : yield* forkOf(rpc, cursor, deadline)
    const { deposits, upTo = final } = yield* blocksAfter(rpc, chain, head, from, final.height, remembered, deadline)
    return { cursor: upTo, deposits }
  })

const scanFrom = (chain: Chain, cursor: Cursor, remembered: Remembered): BitcoinRead<Scan> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const { finalHeight: _, ...head } = yield* readHead(rpc, chain, deadline)
    const known = yield* readHashAt(rpc, head, cursor.height, deadline)
    // The node is behind the cursor and has no answer: the cursor stays until the node has caught up.
    if (known === undefined || (known === cursor.hash && head.height === cursor.height)) {
      return { cursor, head, deposits: [] }
    }
    const from = known === cursor.hash ? cursor.height : yield* forkOf(rpc, cursor, deadline)
    const { deposits, upTo = cursor } = yield* blocksAfter(rpc, chain, head, from, head.height, remembered, deadline)
    return { cursor: upTo, head, deposits }
  })

/** Compared with the sighting: a node that shows another deposit under the same id shows another transaction. */
const isSame = (one: Deposit, other: Deposit): boolean =>
  one.onchainId === other.onchainId && one.depositId === other.depositId && one.amount === other.amount

const standingOf = (chain: Chain, deposit: Deposit): BitcoinRead<Standing> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    // The head first: what the node shows afterwards is at least as new.
    const head = yield* readHead(rpc, chain, deadline)
    const deposits = yield* readDeposits(rpc, chain, deposit.transactionId, deadline)
    if (deposits !== undefined) {
      const found = deposits.find((each) => isSame(each, deposit))
      if (found === undefined) return { _tag: "Gone" }
      const { block } = found
      const confirmations = head.height >= block.height ? Number(head.height - block.height) + 1 : 1
      return { _tag: "Included", block, confirmations, final: block.height <= head.finalHeight, deposits }
    }
    // Gone only when its block is no longer the chain's, or never held it. A node that is behind does not know.
    const { hash, height } = deposit.block
    const now = yield* readHashAt(rpc, head, height, deadline)
    if (now === undefined) return yield* Effect.fail("behind" as const)
    const isHeld = now === hash && (yield* readHolds(rpc, hash, deposit.transactionId, deadline))
    return isHeld ? yield* Effect.fail("behind" as const) : { _tag: "Gone" }
  })

const finalityAt = (chain: Chain, height: bigint | undefined): BitcoinRead<FinalityNow> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const head = yield* readHead(rpc, chain, deadline)
    const hashAt = (at: bigint) => readHashAt(rpc, head, at, deadline)
    const found = height === undefined ? undefined : yield* hashAt(height)
    const newest = head.finalHeight < 0n ? undefined : yield* hashAt(head.finalHeight)
    return { found, newest: newest === undefined ? undefined : { height: head.finalHeight, hash: newest } }
  })

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const remembered: Remembered = {
      clients: new ClientNames(),
      known: new ByteBoundedCache(MAX_REMEMBERED_BYTES)
    }
    const read = <A>(chain: Chain, operation: string, of: BitcoinRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    return DepositWatcher.of({
      head: (chain) =>
        read(
          chain,
          "head",
          (core, deadline) =>
            Effect.map(readHead(core, chain, deadline), ({ hash, height, time }) => ({ hash, height, time }))
        ),
      heads: (chain) =>
        read(
          chain,
          "heads",
          (core, deadline) =>
            Effect.map(
              readHead(core, chain, deadline),
              ({ finalHeight, hash, height }) => ({ finalHeight, hash, height })
            )
        ),
      scan: (chain, cursor) => read(chain, "deposit scan", scanFrom(chain, cursor, remembered)),
      scanFinal: (chain, from, final) =>
        scanFinal(rpc, chain, final, (client) => client.read(scanUpTo(chain, from, final, remembered))),
      look: (chain, id) =>
        read(chain, "deposits of a transaction", (core, deadline) => readDeposits(core, chain, id, deadline)),
      standing: (chain: Chain, deposit: Deposit, by: ReadBy) =>
        rpc.witnessed(chain, depositRead((client: BitcoinClient) => client.read(standingOf(chain, deposit))), by),
      finality: (chain, remembered) =>
        readFinality(rpc, chain, remembered, (client, height) => client.read(finalityAt(chain, height)))
    })
  })
)
