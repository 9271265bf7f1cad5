/** However a node limits its answers, and however slow it is, every log is found, in the chain's order, with few calls. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  createPublicClient,
  custom,
  hexToBigInt,
  HttpRequestError,
  numberToHex,
  RpcRequestError,
  TimeoutError,
  toHex
} from "viem"
import type { Hex } from "viem"
import { walkLogs } from "./Logs.ts"
import type { Log, Pace } from "./Logs.ts"
import { LogSpans } from "./LogSpans.ts"

const [contract, other, topic, account]: ReadonlyArray<Hex> = ["11", "22", "33", "44"].map((byte) =>
  toHex(BigInt(`0x${byte}`), { size: 32 })
)

/** How many logs a node returns in one answer, and how it refuses more. */
interface Bounds {
  readonly most: number
  readonly refusal: "code" | "status" | "too large" | "too late"
  /** Whether a single block with more logs is refused too. */
  readonly blocks: boolean
  /** The most logs in all receipts of a block. */
  readonly receipts?: number
}

const refusals = {
  code: () => new RpcRequestError({ body: {}, url: "", error: { code: -32005, message: "query returned more than" } }),
  status: () => new HttpRequestError({ url: "", status: 400 }),
  "too large": () => new HttpRequestError({ url: "", status: 413 }),
  "too late": () => new TimeoutError({ body: {}, url: "" })
}

/** Few logs in each transaction, however many its block has. */
const IN_A_TRANSACTION = 3

/** `counts`: the number of logs of each block, from block 0. */
const nodeOf = (counts: ReadonlyArray<number>, { blocks, most, receipts = Infinity, refusal }: Bounds) => {
  const blockHash = (block: number) => toHex(block + 1, { size: 32 })
  const logsOf = (block: number) =>
    Array.from({ length: counts[block] ?? 0 }, (_, index) => ({
      address: index % 3 === 2 ? other : contract,
      topics: [topic, toHex(7, { size: 32 }), account],
      data: numberToHex(index),
      blockNumber: numberToHex(block),
      blockHash: blockHash(block),
      logIndex: numberToHex(index),
      transactionHash: toHex(1_000 * (block + 1) + index, { size: 32 }),
      removed: false
    }))
  const receiptsOf = (block: number) => {
    const logs = logsOf(block)
    return Array.from({ length: Math.ceil(logs.length / IN_A_TRANSACTION) }, (_, index) => ({
      blockHash: blockHash(block),
      transactionHash: toHex(1_000 * (block + 1) + index, { size: 32 }),
      logs: logs.slice(index * IN_A_TRANSACTION, (index + 1) * IN_A_TRANSACTION)
    }))
  }
  const asked: Array<string> = []
  const request = ({ method, params }: { readonly method: string; readonly params: ReadonlyArray<unknown> }) => {
    asked.push(method)
    const [first] = params
    if (method === "eth_getBlockReceipts") {
      const block = Number(first)
      return logsOf(block).length > receipts ? Promise.reject(refusals[refusal]()) : Promise.resolve(receiptsOf(block))
    }
    if (method === "eth_getBlockByNumber") {
      const block = Number(first)
      const transactions = receiptsOf(block).map(({ transactionHash }) => transactionHash)
      return Promise.resolve({ hash: blockHash(block), transactions })
    }
    if (method === "eth_getTransactionReceipt") {
      const found = counts.flatMap((_, block) => receiptsOf(block).map((receipt) => ({ ...receipt, block }))).find((
        { transactionHash }
      ) => transactionHash === first)
      return Promise.resolve(found && { ...found, blockNumber: numberToHex(found.block) })
    }
    const { address, fromBlock, toBlock } = first as { address: Array<Hex>; fromBlock: Hex; toBlock: Hex }
    const [from, to] = [Number(hexToBigInt(fromBlock)), Number(hexToBigInt(toBlock))]
    const found = counts.flatMap((_, block) =>
      block < from || block > to ? [] : logsOf(block).filter((log) => address.includes(log.address ?? "0x"))
    )
    return found.length > most && (blocks || from < to) ? Promise.reject(refusals[refusal]()) : Promise.resolve(found)
  }
  return { asked, client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) }
}

const filters = [
  { addresses: [contract ?? "0x"], topics: [[topic ?? "0x"]] },
  { addresses: [other ?? "0x"], topics: [[topic ?? "0x"], null, [account ?? "0x"]] },
  { addresses: [], topics: [] }
]

const unhurried = (): Pace => ({ steps: { done: () => {} }, spans: new LogSpans() })

/** The most tries of one walk. Each halves what the next one asks for. */
const MOST_TRIES = 12

/** A walk that took too long begins again. */
const walked = async (counts: ReadonlyArray<number>, bounds: Bounds) => {
  const { asked, client } = nodeOf(counts, bounds)
  const pace = unhurried()
  for (let tries = 1;; tries += 1) {
    const found: Array<Log> = []
    try {
      for await (const log of walkLogs(client, filters, 0n, BigInt(counts.length - 1), pace)) found.push(log)
      return { asked, tries, found: found.map(({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`) }
    } catch (error) {
      if (bounds.refusal !== "too late" || tries === MOST_TRIES) throw error
    }
  }
}

const all = (counts: ReadonlyArray<number>): ReadonlyArray<string> =>
  counts.flatMap((count, block) => Array.from({ length: count }, (_, index) => `${block}:${index}`))

describe("logs of a range", () => {
  it("are all found, in order, whatever ranges a node refuses", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 }),
        fc.record({
          most: fc.integer({ min: 1, max: 30 }),
          refusal: fc.constantFrom<Bounds["refusal"]>("code", "status", "too large"),
          blocks: fc.boolean()
        }),
        async (counts, bounds) => {
          const { asked, found } = await walked(counts, bounds)
          assert.deepStrictEqual(found, all(counts))
          assert.isAtMost(asked.length, 6 * counts.length + 2)
        }
      )
    ))

  it("are all found by a node that answers in time only for few, and by one whose receipts of a block are too many", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat({ max: 12 }),
        fc.constantFrom<Bounds["refusal"]>("too late", "too large", "code"),
        async (counts, most, receipts, refusal) => {
          const { found } = await walked(counts, { most, receipts, refusal, blocks: true })
          assert.deepStrictEqual(found, all(counts))
        }
      )
    ))

  it("are asked for by many blocks again once a node answers in time", async () => {
    const slow = nodeOf([4, 4, 4, 4], { most: 6, refusal: "too late", blocks: true })
    const spans = new LogSpans()
    spans.failed(slow.client, 2_000n, refusals.code())
    assert.strictEqual(spans.of(slow.client), 2_000n)
    spans.failed(slow.client, 1n, refusals["too late"]())
    assert.strictEqual(spans.of(slow.client), 0n)
    let answers = 0
    for (; spans.of(slow.client) < 2_000n; answers += 1) spans.answered(slow.client)
    assert.isAtMost(answers, 200)
    // Not at once: a node that was too slow would be so again with every second request.
    assert.isAtLeast(answers, 24)
  })

  it("are not asked for any more once nobody waits for the walk", async () => {
    const { asked, client } = nodeOf([1, 1, 1, 1, 1, 1, 1, 1], { most: 2, refusal: "code", blocks: true })
    let left = 3
    const done = () => {
      left -= 1
      if (left === 0) throw new Error("nobody waits")
    }
    const walk = async () => {
      for await (const _ of walkLogs(client, filters.slice(0, 1), 0n, 7n, { steps: { done }, spans: new LogSpans() }));
    }
    assert.strictEqual(await walk().then(() => "read", () => "ended"), "ended")
    assert.strictEqual(asked.length, 3)
  })

  it("are not taken to be absent when a node refuses a block and does not have it", async () => {
    const request = ({ method }: { readonly method: string }) =>
      method === "eth_getLogs" ? Promise.reject(refusals.code()) : Promise.resolve(null)
    const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
    const failed = await walkLogs(client, filters.slice(0, 1), 0n, 9n, unhurried()).next().then(
      () => "read",
      () => "failed"
    )
    assert.strictEqual(failed, "failed")
  })

  it("are requested once when nothing is refused, and not retried in another form when the node does not answer", async () => {
    const calm = await walked([3, 4, 5], { most: 100, refusal: "code", blocks: true })
    assert.deepStrictEqual(calm.asked, ["eth_getLogs", "eth_getLogs"])
    for (const error of [new HttpRequestError({ url: "", status: 503 }), new HttpRequestError({ url: "" })]) {
      let asked = 0
      const request = () => {
        asked += 1
        return Promise.reject(error)
      }
      const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
      const failed = await walkLogs(client, filters.slice(0, 1), 0n, 9n, unhurried()).next().then(
        () => "read",
        () => "failed"
      )
      assert.deepStrictEqual([failed, asked], ["failed", 1])
    }
  })
})
