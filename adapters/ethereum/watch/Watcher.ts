/**
 * Deposits of an EVM chain. Scans from a cursor find them, by the depository's logs and by tokens sent to it. Rechecks
 * read their receipt.
 *
 * A reorg shows as a cursor block whose hash is no longer in the chain. The scan then goes back far enough to see every
 * deposit again. Recording is idempotent, so going back too far only costs time.
 */
import { Effect, Layer } from "effect"
import type { Hex, PublicClient } from "viem"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type {
  Cursor,
  FinalityAsked,
  FinalScan,
  Head,
  Heads,
  Scan,
  Standing
} from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import type { Steps } from "../../endpoints/AskEndpoint.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { depositRead } from "../../endpoints/DepositRead.ts"
import { readHeads as readAgreedHeads } from "../../endpoints/ReadHeads.ts"
import { readFinality } from "../../endpoints/ReadFinality.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { depositsIn } from "./Deposits.ts"
import { EthereumRpc, NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { candidatesIn } from "./DepositCandidates.ts"
import { assertLogsKept } from "./KeptLogs.ts"
import { LogSpans } from "./LogSpans.ts"
import { readHeads } from "../observe/Finality.ts"
import { assertNotIn, hashAt, standingPlace } from "../observe/Receipt.ts"
import type { Place } from "../observe/Receipt.ts"

/** How far a scan goes back when the cursor's block has vanished. */
const REWIND_BLOCKS = 128n

/** Blocks that every scan reads again: a node may know a block before it knows all of its logs. */
const OVERLAP_BLOCKS = 12n

/** The most blocks of one scan, so that a long absence is caught up in steps that each survive a restart. */
const MAX_RANGE = 2_000n

/** For the deposits that a scan has read and the next scans read again. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024

/** A scan ends early, at the end of a block, after this many deposits: a long absence may hold millions. */
const MANY = 20_000

/** A cache of deposits by endpoint and by the block of their transaction: scans overlap, but reads need not. */
class Completed {
  private readonly known = new ByteBoundedCache<ReadonlyArray<Deposit>>(MAX_REMEMBERED_BYTES)
  private readonly clients = new ClientNames<PublicClient>()

  async depositsIn(
    client: PublicClient,
    chain: Chain,
    { blockHash, blockNumber, transactionHash }: Place
  ): Promise<ReadonlyArray<Deposit>> {
    const key = `${this.clients.nameOf(client)}:${blockHash}:${transactionHash}`
    const before = this.known.find(key)
    if (before !== undefined) return before
    const deposits = await depositsIn(client, chain, transactionHash, blockNumber)
    // The logs were there a moment ago. A node that lacks their transaction now has no answer yet.
    if (deposits === undefined || deposits.some(({ block }) => block.hash !== blockHash)) throw new NodeIsBehind()
    this.known.keep(key, deposits)
    return deposits
  }
}

/**
 * Transactions of more than one deposit that stand: read once, not once for each of their deposits, which anybody can
 * make by the thousand. SECURITY: what a scan has read is not taken for it, and neither is what another endpoint has
 * said: every voice of a quorum is the endpoint's own.
 */
class Confirmed {
  private readonly known = new ByteBoundedCache<ReadonlyArray<Deposit>>(MAX_REMEMBERED_BYTES)
  private readonly clients = new ClientNames<PublicClient>()

  /** Undefined when the canonical chain does not hold the transaction. */
  async depositsIn(
    client: PublicClient,
    chain: Chain,
    hash: Hex,
    near: bigint
  ): Promise<ReadonlyArray<Deposit> | undefined> {
    const key = `${this.clients.nameOf(client)}:${chain.id}:${hash}`
    const before = this.known.find(key)
    if (before !== undefined) {
      const place = await standingPlace(client, hash)
      if (place?.blockHash === before[0]?.block.hash) return before
    }
    const deposits = await depositsIn(client, chain, hash, near)
    if (deposits !== undefined && deposits.length > 1) this.known.keep(key, deposits)
    return deposits
  }
}

/** What a scan remembers of those before, and its own steps. */
interface Scanning {
  readonly completed: Completed
  readonly spans: LogSpans
  readonly steps: Steps
}

interface Range {
  readonly from: bigint
  readonly to: bigint
  /** When the scan ends early, it ends beyond this cursor. */
  readonly cursor: bigint
  /** The chain's head. */
  readonly head: bigint
}

interface Scanned {
  readonly deposits: ReadonlyArray<Deposit>
  /** Where it has ended, if before the range's end. */
  readonly early?: Cursor
}

const scanRange = async (
  client: PublicClient,
  chain: Chain,
  { completed, spans, steps }: Scanning,
  { cursor, from, head, to }: Range
): Promise<Scanned> => {
  const deposits = new Map<string, Deposit>()
  let last: Place | undefined
  // In chain order, one after the other: a range that a stranger filled with logs must not flood the node.
  for await (const place of candidatesIn(client, chain, from, to, { spans, steps })) {
    if (
      last !== undefined && deposits.size >= MANY && last.blockNumber > cursor && last.blockNumber < place.blockNumber
    ) {
      await assertLogsKept(client, { from, to, head }, steps)
      return { deposits: [...deposits.values()], early: { height: last.blockNumber, hash: last.blockHash } }
    }
    last = place
    for (const deposit of await completed.depositsIn(client, chain, place)) deposits.set(deposit.onchainId, deposit)
    steps.done()
  }
  await assertLogsKept(client, { from, to, head }, steps)
  return { deposits: [...deposits.values()] }
}

/** Not beyond the final block, and no overlap: all nodes have had its logs for a while. */
const scanUpTo = async (
  client: PublicClient,
  chain: Chain,
  scanning: Scanning,
  cursor: Cursor,
  final: Cursor
): Promise<FinalScan> => {
  const [known, last, head] = await Promise.all([
    hashAt(client, cursor.height),
    hashAt(client, final.height),
    client.getBlockNumber({ cacheTime: 0 })
  ])
  scanning.steps.done()
  if (last !== final.hash) throw new NodeIsBehind()
  const rewound = cursor.height > REWIND_BLOCKS ? cursor.height - REWIND_BLOCKS : 0n
  const from = known === cursor.hash ? cursor.height + 1n : rewound
  const to = final.height - from >= MAX_RANGE ? from + MAX_RANGE - 1n : final.height
  const hash = to === final.height ? final.hash : await hashAt(client, to)
  if (hash === undefined) throw new NodeIsBehind()
  const { deposits, early = { height: to, hash } } = await scanRange(client, chain, scanning, {
    from,
    to,
    head,
    cursor: cursor.height
  })
  return { cursor: early, deposits }
}

const standingOf = async (
  client: PublicClient,
  chain: Chain,
  confirmed: Confirmed,
  deposit: Deposit
): Promise<Standing> => {
  const transaction = viemHex(deposit.transactionId)
  const [heads, standing] = await Promise.all([
    readHeads(client, chain),
    confirmed.depositsIn(client, chain, transaction, deposit.block.height)
  ])
  if (standing === undefined) await assertNotIn(client, deposit.block, transaction)
  const deposits = standing ?? []
  const found = deposits.find(({ onchainId }) => onchainId === deposit.onchainId)
  if (found === undefined) return { _tag: "Gone" }
  const { block } = found
  return {
    _tag: "Included",
    block,
    confirmations: Number(heads.height - block.height) + 1,
    final: block.height <= heads.finalHeight,
    deposits
  }
}

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const completed = new Completed()
    const spans = new LogSpans()
    const confirmed = new Confirmed()

    const head = (chain: Chain): Effect.Effect<Head, ChainUnavailable> =>
      rpc.call(chain, "head", async (client) => {
        const { hash, number, timestamp } = await client.getBlock()
        return { height: number, hash, time: Number(timestamp) }
      })

    const heads = (chain: Chain, by: ReadBy): Effect.Effect<Heads, ChainUnavailable> =>
      readAgreedHeads(rpc, chain, by, async (client) => {
        const { finalHeight, hash, height } = await readHeads(client, chain)
        return { height, hash, finalHeight }
      })

    const scan = (chain: Chain, cursor: Cursor): Effect.Effect<Scan, ChainUnavailable> =>
      rpc.call(chain, "deposit scan", async (client, steps) => {
        const [latest, known] = await Promise.all([
          client.getBlock(),
          client.getBlock({ blockNumber: cursor.height }).catch(() => undefined)
        ])
        steps.done()
        const unchanged = known?.hash === cursor.hash
        const head: Head = { height: latest.number, hash: latest.hash, time: Number(latest.timestamp) }
        // The node is behind the cursor and has no answer: the cursor stays until the node has caught up.
        if (latest.number < cursor.height && !unchanged) return { cursor, head, deposits: [] }
        if (unchanged && latest.number === cursor.height) return { cursor, head, deposits: [] }
        const back = unchanged ? OVERLAP_BLOCKS : REWIND_BLOCKS
        const from = cursor.height > back ? cursor.height - back : 0n
        const to = latest.number - from >= MAX_RANGE ? from + MAX_RANGE - 1n : latest.number
        const end = to === latest.number ? latest : await client.getBlock({ blockNumber: to })
        const { deposits, early = { height: end.number, hash: end.hash } } = await scanRange(
          client,
          chain,
          { completed, spans, steps },
          { from, to, head: latest.number, cursor: cursor.height }
        )
        return { cursor: early, head, deposits }
      })

    const look = (chain: Chain, transactionId: TransactionId) =>
      rpc.call(chain, "deposits of a transaction", (client) => depositsIn(client, chain, viemHex(transactionId)))

    const standing = (chain: Chain, deposit: Deposit, by: ReadBy) =>
      rpc.witnessed(chain, depositRead((client) => standingOf(client, chain, confirmed, deposit)), by)

    const finality = (chain: Chain, remembered: Cursor | undefined, asked?: FinalityAsked) =>
      readFinality(rpc, chain, remembered, asked, async (client, height) => {
        const [heads, found] = await Promise.all([
          readHeads(client, chain),
          height === undefined ? undefined : hashAt(client, height)
        ])
        const newest = heads.finalHash === undefined ? undefined : { height: heads.finalHeight, hash: heads.finalHash }
        return { found, newest }
      })

    return DepositWatcher.of({
      head,
      heads,
      scan,
      scanFinal: (chain, from, final) =>
        scanFinal(
          rpc,
          chain,
          final,
          (client, steps) => scanUpTo(client, chain, { completed, spans, steps }, from, final)
        ),
      look,
      finality,
      standing
    })
  })
)
