/**
 * Transfers of the settlement token to the solver on an EVM chain, read from logs of final blocks.
 *
 * Each scan overlaps the previous one, because a node may know a block before it knows all of its logs. Arrivals are
 * cached by their block, so that the overlap costs nothing and a range full of logs is read in several scans. Transfers
 * of zero are skipped: anyone can make the token log any number of them.
 *
 * SECURITY: with several endpoints, as many hosts as the quorum needs are scanned up to a block that the quorum calls
 * final, so that no endpoint alone hides a credit, and the quorum shows each credit that any of them claims (QUORUM-9).
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
import { assertNotIn, hashAt, standingReceipt } from "../observe/Receipt.ts"
import type { Place } from "../observe/Receipt.ts"
import type { HostAnswer } from "../../endpoints/AskSeveral.ts"
import type { Steps } from "../../endpoints/AskEndpoint.ts"
import { ByteBoundedCache } from "../../endpoints/ByteBoundedCache.ts"
import { ClientNames } from "../../endpoints/ClientNames.ts"
import { notShownBy } from "../../endpoints/NotShown.ts"
import { readFinality } from "../../endpoints/ReadFinality.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import { assertLogsKept } from "./KeptLogs.ts"
import { LogSpans } from "./LogSpans.ts"
import { walkLogs } from "./Logs.ts"
import type { Pace } from "./Logs.ts"
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
  finalHeight: bigint,
  near?: bigint
): Promise<SeenArrival | undefined> => {
  const standing = await standingReceipt(client, hash, near)
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

/**
 * Equal when everything that a credit follows from is; final when enough say so. Undefined: the block does not hold the
 * transaction.
 */
const arrivalRule: ReadingRule<SeenArrival | undefined> = {
  same: (left, right) => left === undefined || right === undefined ? left === right : sameArrival(left, right),
  combine: ([first, ...others], needed) => {
    if (first === undefined) return undefined
    const final = [first, ...others].filter((each) => each?.evidence.finality === "final")
    return final.length >= needed ? first : { ...first, evidence: { ...first.evidence, finality: "not-final" } }
  },
  claims: (seen) => seen === undefined ? "proven" : seen.evidence.finality === "final" ? "lasting" : "open"
}

/** Arrivals that were read before, by endpoint and by the final block that holds them. */
class Remembered {
  private readonly known = new ByteBoundedCache<SeenArrival>(MAX_REMEMBERED_BYTES)
  private readonly clients = new ClientNames<PublicClient>()

  async read(
    client: PublicClient,
    chain: Chain,
    finalHeight: bigint,
    at: Place
  ): Promise<SeenArrival> {
    const key = `${this.clients.nameOf(client)}:${at.blockHash}:${at.transactionHash}`
    const before = this.known.find(key)
    if (before !== undefined) return before
    const arrival = await readArrival(client, chain, at.transactionHash, finalHeight, at.blockNumber)
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

/** What is final now, and whether the block of the last cursor is no longer there. */
interface Reach {
  readonly final: Cursor
  readonly replaced: boolean
}

const scan = async (
  client: PublicClient,
  chain: Chain,
  { solver, token }: CreditTerms,
  from: Cursor,
  { final, replaced }: Reach,
  remembered: Remembered,
  pace: Pace
): Promise<Pick<ArrivalScan, "arrivals" | "cursor">> => {
  const [newest, head] = await Promise.all([hashAt(client, final.height), client.getBlockNumber({ cacheTime: 0 })])
  if (newest !== final.hash) throw new NodeIsBehind()
  const back = replaced ? REWIND_BLOCKS : OVERLAP_BLOCKS
  const first = from.height > back ? from.height - back : 0n
  const to = final.height - first >= MAX_RANGE ? first + MAX_RANGE - 1n : final.height
  const arrivals = new Map<string, SeenArrival>()
  let bytes = 0
  let last: Place | undefined
  // One after the other: a range that a stranger filled with logs must not flood the node.
  for await (const log of walkLogs(client, [transfersTo(viemHex(solver), [viemHex(token)])], first, to, pace)) {
    if (
      last !== undefined && bytes >= MANY_BYTES && last.blockNumber > from.height && last.blockNumber < log.blockNumber
    ) {
      await assertLogsKept(client, { from: first, to, head }, pace.steps)
      const early = { height: last.blockNumber, hash: last.blockHash }
      return { cursor: early, arrivals: [...arrivals.values()] }
    }
    last = log
    if (BigInt(log.data) === 0n || arrivals.has(log.transactionHash)) continue
    const arrival = await remembered.read(client, chain, final.height, log)
    pace.steps.done()
    arrivals.set(log.transactionHash, arrival)
    bytes += arrival.evidence.data.length / 2
  }
  await assertLogsKept(client, { from: first, to, head }, pace.steps)
  return { cursor: to === final.height ? final : await cursorAt(client, to), arrivals: [...arrivals.values()] }
}

const mentions = async (
  client: PublicClient,
  chain: Chain,
  from: bigint,
  to: bigint,
  { done }: Steps
): Promise<ReadonlyArray<SeenArrival>> => {
  const { finalHeight } = await readHeads(client, chain)
  const found: Array<SeenArrival> = []
  for (let blockNumber = from; blockNumber <= to; blockNumber += 1n) {
    const { transactions } = await client.getBlock({ blockNumber, includeTransactions: true })
    for (const { hash, input } of transactions) {
      if (!mentionsCredit(input)) continue
      found.push(await readArrival(client, chain, hash, finalHeight))
      done()
    }
    done()
  }
  return found
}

const nameOf = ({ block, evidence: { transactionId } }: SeenArrival): string => `${block.hash}:${transactionId}`

const isClaimed = ({ evidence: { data } }: SeenArrival): boolean => mentionsCredit(data)

type Scanned = HostAnswer<Pick<ArrivalScan, "arrivals" | "cursor">>

/**
 * The hosts that hide a credit beyond the cursor, which this scan passes and no later one reads. `arrivals`: as the
 * quorum shows them. What nobody claims as a credit is one host's word, and proves nothing.
 */
const hidingAmong = (heard: ReadonlyArray<Scanned>, arrivals: ReadonlyArray<SeenArrival>, from: Cursor) => {
  const credits = new Set(
    arrivals.filter((seen) => isClaimed(seen) && seen.block.height > from.height).map((seen) => nameOf(seen))
  )
  const shown = heard.map(({ answer, host }) => ({
    host,
    upTo: answer.cursor.height,
    items: new Map(
      answer.arrivals.map((seen) => [nameOf(seen), seen.block.height] as const).filter(([name]) => credits.has(name))
    )
  }))
  return [...new Set([...notShownBy(shown).values()].flat())]
}

export const layer = Layer.effect(
  CreditWatcher,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc
    const remembered = new Remembered()
    const spans = new LogSpans()
    /** Arrivals as a quorum has shown them, by the final block that holds them. */
    const witnessed = new ByteBoundedCache<SeenArrival>(MAX_REMEMBERED_BYTES)

    /** What the quorum shows of an arrival that one endpoint claims; undefined when there is none. */
    const witness = Effect.fnUntraced(function*(chain: Chain, seen: SeenArrival) {
      const known = witnessed.find(nameOf(seen))
      if (known !== undefined) return known
      const { block, evidence: { transactionId } } = seen
      const agreed = yield* rpc.witnessed(chain, {
        operation: "credit",
        call: async (client) => {
          const { finalHeight } = await readHeads(client, chain)
          const found = await findArrival(client, chain, viemHex(transactionId), finalHeight)
          if (found === undefined) await assertNotIn(client, block, viemHex(transactionId))
          return found
        },
        rule: arrivalRule,
        rests: () => true
      }, "quorum")
      if (agreed === undefined) return undefined
      if (agreed.evidence.finality !== "final") {
        return yield* new ChainUnavailable({ chain: chain.slug, operation: "credit", kind: "behind" })
      }
      witnessed.keep(nameOf(agreed), agreed)
      return agreed
    })

    /** What mentions no credit is none, whoever shows it. Of everything else, what the quorum shows counts. */
    const agreedOn = Effect.fnUntraced(function*(chain: Chain, shown: ReadonlyArray<SeenArrival>) {
      const claimed = new Map(shown.filter(isClaimed).map((seen) => [nameOf(seen), seen]))
      const agreed = yield* Effect.forEach(claimed.values(), (seen) => witness(chain, seen), { concurrency: AT_ONCE })
      const others = shown.filter((seen) => !isClaimed(seen) && !claimed.has(nameOf(seen)))
      const arrivals = [...agreed.filter((seen) => seen !== undefined), ...others]
      return [...new Map(arrivals.map((seen) => [nameOf(seen), seen])).values()].toSorted((one, other) =>
        Number(one.block.height - other.block.height)
      )
    })

    const finalityOf = (chain: Chain, remembered: Cursor | undefined) =>
      readFinality(rpc, chain, remembered, "newest", async (client, height) => {
        const [heads, found] = await Promise.all([
          readHeads(client, chain),
          height === undefined ? undefined : hashAt(client, height)
        ])
        const newest = heads.finalHash === undefined ? undefined : { height: heads.finalHeight, hash: heads.finalHash }
        return { found, newest }
      })

    /** Undefined while nothing is new, and while a node is behind: the cursor stays until it has caught up. */
    const reachOf = Effect.fnUntraced(function*(chain: Chain, from: Cursor) {
      const { found, newest } = yield* finalityOf(chain, from)
      if (found === undefined) return undefined
      const replaced = found !== from.hash
      const final = replaced && newest === undefined ? (yield* finalityOf(chain, undefined)).newest : newest
      return final === undefined || final.height < from.height || (!replaced && final.height === from.height)
        ? undefined
        : { final, replaced } satisfies Reach
    })

    const scanAll = Effect.fnUntraced(function*(chain: Chain, terms: CreditTerms, from: Cursor) {
      const reach = yield* reachOf(chain, from)
      if (reach === undefined) return { cursor: from, arrivals: [], replaced: false } satisfies ArrivalScan
      const { final, replaced } = reach
      const heard = yield* rpc.several(
        chain,
        "scan for credits",
        (client, steps) => scan(client, chain, terms, from, reach, remembered, { steps, spans })
      )
      const scans = heard.map(({ answer }) => answer)
      const cursor = scans.reduce<Cursor>(
        (least, each) => each.cursor.height < least.height ? each.cursor : least,
        final
      )
      const shown = scans.flatMap(({ arrivals }) => arrivals)
      if (rpc.isAlone(chain)) return { cursor, arrivals: shown, replaced } satisfies ArrivalScan
      const arrivals = yield* agreedOn(chain, shown)
      const hiddenBy = hidingAmong(heard, arrivals, from)
      return {
        cursor,
        arrivals,
        replaced,
        ...(hiddenBy.length === 0 ? {} : { hiddenBy })
      } satisfies ArrivalScan
    })

    return CreditWatcher.of({
      start: (chain, below) => rpc.call(chain, "start of credits", (client) => start(client, chain, below)),
      scan: scanAll,
      mentions: (chain, { from, to }) =>
        rpc.call(chain, "mentions of credits", (client, steps) => mentions(client, chain, from, to, steps))
    })
  })
)
