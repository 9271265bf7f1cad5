/**
 * Transfers of the settlement token to the solver on an EVM chain, read from logs of final blocks.
 *
 * Each scan overlaps the previous one, because a node may know a block before it knows all of its logs. Arrivals are
 * cached by their block, so that the overlap costs nothing and a range full of logs is read in several scans. Transfers
 * of zero are skipped: anyone can make the token log any number of them.
 */
import { Effect, Layer, Result } from "effect"
import type { Hex, PublicClient } from "viem"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { CreditWatcher } from "../../../ports/chain/CreditWatcher.ts"
import type { ArrivalScan, SeenArrival } from "../../../ports/chain/CreditWatcher.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { mentionsCredit } from "../../../src/domain/ledger/CreditCalldata.ts"
import type { CreditTerms, TransferLog } from "../../../src/domain/ledger/JudgeCredit.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ReadingRule } from "../../../src/domain/quorum/AgreeOnReading.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { transferOf } from "../../../src/domain/families/ethereum/evidence/Events.ts"
import type { EvmTransaction } from "../../../src/domain/families/ethereum/evidence/EvmTransaction.ts"
import { evmTransaction } from "../decode/EvmTransaction.ts"
import { EthereumRpc, NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { readHeads } from "../observe/Finality.ts"
import { assertNotIn, standingReceipt } from "../observe/Receipt.ts"
import type { Place } from "../observe/Receipt.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { walkLogs } from "./Logs.ts"
import { transfersTo } from "./DepositCandidates.ts"

/** The most blocks of one scan. */
const MAX_RANGE = 2_000n

/** Blocks that every scan reads again. */
const OVERLAP_BLOCKS = 12n

/** How far a scan goes back when a final block has vanished. */
const REWIND_BLOCKS = 512n

/** An arrival holds the calldata of its transaction, which its sender can make large. */
const MAX_REMEMBERED_BYTES = 32 * 1024 * 1024

/** Credits that are read under the quorum at a time. */
const AT_ONCE = 8

/** Some hundred thousand keys. */
const MAX_WITNESSED_BYTES = 16 * 1024 * 1024

/** Calldata that a scan answers with before it ends early, at the end of a block. */
const MANY_BYTES = 32 * 1024 * 1024

const transfersOf = ({ logs }: EvmTransaction): ReadonlyArray<TransferLog> =>
  logs.flatMap((log): ReadonlyArray<TransferLog> => {
    const transfer = transferOf(log)
    return transfer === undefined
      ? []
      : [{ index: log.logIndex, emitter: log.address, to: transfer.to, amount: transfer.amount }]
  })

/** Undefined when the node does not show the transaction in a block of its chain now. */
const findArrival = async (
  client: PublicClient,
  chain: Chain,
  hash: Hex,
  finalHeight: bigint
): Promise<SeenArrival | undefined> => {
  const standing = await standingReceipt(client, hash)
  if (standing === undefined) return undefined
  const { receipt, time } = standing
  const transaction = evmTransaction(await client.getTransaction({ hash }), receipt)
  return {
    block: { height: receipt.blockNumber, hash: receipt.blockHash, time },
    evidence: {
      chainId: chain.id,
      transactionId: Result.getOrThrow(parseTransactionId(chain.family, hash)),
      finality: receipt.blockNumber <= finalHeight ? "final" : "not-final",
      succeeded: receipt.status === "success",
      sender: transaction.from,
      to: transaction.to,
      data: transaction.input,
      transfers: transfersOf(transaction)
    }
  }
}

/** The same, of a transaction that the node has shown a moment ago. */
const readArrival = async (...of: Parameters<typeof findArrival>): Promise<SeenArrival> => {
  const arrival = await findArrival(...of)
  if (arrival === undefined) throw new NodeIsBehind()
  return arrival
}

const sameTransfers = (left: ReadonlyArray<TransferLog>, right: ReadonlyArray<TransferLog>): boolean =>
  left.length === right.length && left.every(({ amount, emitter, index, to }, at) => {
    const other = right[at]
    return index === other?.index && emitter === other.emitter && to === other.to && amount === other.amount
  })

const sameArrival = ({ block, evidence }: SeenArrival, other: SeenArrival): boolean =>
  block.hash === other.block.hash && block.height === other.block.height && block.time === other.block.time &&
  evidence.succeeded === other.evidence.succeeded && evidence.sender === other.evidence.sender &&
  evidence.to === other.evidence.to && evidence.data === other.evidence.data &&
  sameTransfers(evidence.transfers, other.evidence.transfers)

/** Equal when everything that a credit follows from is. Undefined: the block does not hold the transaction. */
const arrivalRule: ReadingRule<SeenArrival | undefined> = {
  same: (left, right) => left === undefined || right === undefined ? left === right : sameArrival(left, right),
  combine: (equal, needed) =>
    equal.filter((each) => each?.evidence.finality === "final").length >= needed ? equal[0] : undefined,
  claims: (seen) => seen === undefined ? "proven" : seen.evidence.finality === "final" ? "lasting" : "open"
}

/** Arrivals that were read before, by the final block that holds them. */
class Remembered {
  private readonly known = new ByteBoundedCache<SeenArrival>(MAX_REMEMBERED_BYTES)

  async read(
    client: PublicClient,
    chain: Chain,
    finalHeight: bigint,
    at: { readonly blockHash: Hex; readonly transactionHash: Hex }
  ): Promise<SeenArrival> {
    const key = `${at.blockHash}:${at.transactionHash}`
    const before = this.known.find(key)
    if (before !== undefined) return before
    const arrival = await readArrival(client, chain, at.transactionHash, finalHeight)
    if (arrival.block.hash !== at.blockHash) throw new NodeIsBehind()
    this.known.keep(key, arrival)
    return arrival
  }
}

const cursorAt = async (client: PublicClient, blockNumber: bigint): Promise<Cursor> => {
  const { hash, number } = await client.getBlock({ blockNumber })
  return { height: number, hash }
}

const start = async (client: PublicClient, chain: Chain, below: bigint | undefined): Promise<Cursor | undefined> => {
  const { finalHeight } = await readHeads(client, chain)
  if (finalHeight < 0n) return undefined
  return cursorAt(client, below !== undefined && below < finalHeight ? below : finalHeight)
}

const scan = async (
  client: PublicClient,
  chain: Chain,
  { solver, token }: CreditTerms,
  from: Cursor,
  remembered: Remembered
): Promise<ArrivalScan> => {
  const { finalHeight } = await readHeads(client, chain)
  // The node is behind and has no answer: the cursor stays until the node has caught up.
  if (finalHeight < from.height) return { cursor: from, arrivals: [], replaced: false }
  const known = await client.getBlock({ blockNumber: from.height })
  const replaced = known.hash !== from.hash
  if (!replaced && finalHeight === from.height) return { cursor: from, arrivals: [], replaced }
  const back = replaced ? REWIND_BLOCKS : OVERLAP_BLOCKS
  const first = from.height > back ? from.height - back : 0n
  const to = finalHeight - first >= MAX_RANGE ? first + MAX_RANGE - 1n : finalHeight
  const arrivals = new Map<string, SeenArrival>()
  let bytes = 0
  let last: Place | undefined
  // One after the other: a range that a stranger filled with logs must not flood the node.
  for await (const log of walkLogs(client, [transfersTo(viemHex(solver), [viemHex(token)])], first, to)) {
    if (
      last !== undefined && bytes >= MANY_BYTES && last.blockNumber > from.height && last.blockNumber < log.blockNumber
    ) {
      const early = { height: last.blockNumber, hash: last.blockHash }
      return { cursor: early, arrivals: [...arrivals.values()], replaced }
    }
    last = log
    if (BigInt(log.data) === 0n || arrivals.has(log.transactionHash)) continue
    const arrival = await remembered.read(client, chain, finalHeight, log)
    arrivals.set(log.transactionHash, arrival)
    bytes += arrival.evidence.data.length / 2
  }
  return { cursor: await cursorAt(client, to), arrivals: [...arrivals.values()], replaced }
}

const mentions = async (
  client: PublicClient,
  chain: Chain,
  from: bigint,
  to: bigint
): Promise<ReadonlyArray<SeenArrival>> => {
  const { finalHeight } = await readHeads(client, chain)
  const found: Array<SeenArrival> = []
  for (let blockNumber = from; blockNumber <= to; blockNumber += 1n) {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true })
    for (const { hash, input } of transactions) {
      if (mentionsCredit(input)) found.push(await readArrival(client, chain, hash, finalHeight))
    }
  }
  return found
}

export const layer = Layer.effect(
  CreditWatcher,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const remembered = new Remembered()
    /** Transactions that a quorum has shown, by the final block that holds them. */
    const witnessed = new ByteBoundedCache<true>(MAX_WITNESSED_BYTES)

    /** SECURITY: an app balance is credited for what one endpoint has found only when the quorum shows it, too. */
    const witness = (chain: Chain, seen: SeenArrival) => {
      const { block, evidence: { transactionId } } = seen
      const key = `${block.hash}:${transactionId}`
      if (witnessed.find(key) === true) return Effect.void
      return rpc.witnessed(chain, {
        operation: "credit",
        call: async (client) => {
          const { finalHeight } = await readHeads(client, chain)
          const found = await findArrival(client, chain, viemHex(transactionId), finalHeight)
          if (found === undefined) await assertNotIn(client, block, viemHex(transactionId))
          return found
        },
        rule: arrivalRule,
        rests: () => true
      }, "quorum").pipe(
        Effect.filterOrFail(
          (agreed) => agreed !== undefined && sameArrival(agreed, seen),
          () => new ChainUnavailable({ chain: chain.slug, operation: "credit", kind: "behind" })
        ),
        Effect.map(() => witnessed.keep(key, true))
      )
    }

    const scanWitnessed = Effect.fnUntraced(function*(chain: Chain, terms: CreditTerms, from: Cursor) {
      const found = yield* rpc.call(
        chain,
        "scan for credits",
        (client) => scan(client, chain, terms, from, remembered)
      )
      if (rpc.isAlone(chain)) return found
      // What mentions no credit is none, whoever shows it.
      const claimed = found.arrivals.filter(({ evidence: { data } }) => mentionsCredit(data))
      yield* Effect.forEach(claimed, (seen) => witness(chain, seen), { concurrency: AT_ONCE, discard: true })
      return found
    })

    return CreditWatcher.of({
      start: (chain, below) => rpc.call(chain, "start of credits", (client) => start(client, chain, below)),
      scan: scanWitnessed,
      mentions: (chain, { from, to }) =>
        rpc.call(chain, "mentions of credits", (client) => mentions(client, chain, from, to))
    })
  })
)
