/** However a node limits its answers, every log is found, in the chain's order, with few calls. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createPublicClient, custom, hexToBigInt, HttpRequestError, numberToHex, RpcRequestError, toHex } from "viem"
import type { Hex } from "viem"
import { walkLogs } from "./Logs.ts"
import type { Log } from "./Logs.ts"

const [contract, other, topic, account]: ReadonlyArray<Hex> = ["11", "22", "33", "44"].map((byte) =>
  toHex(BigInt(`0x${byte}`), { size: 32 })
)

/** How many logs a node returns in one answer, and how it refuses more. */
interface Bounds {
  readonly most: number
  readonly refusal: "code" | "status" | "too large"
  /** Whether a single block with more logs is refused too. */
  readonly blocks: boolean
}

const refusals = {
  code: () => new RpcRequestError({ body: {}, url: "", error: { code: -32005, message: "query returned more than" } }),
  status: () => new HttpRequestError({ url: "", status: 400 }),
  "too large": () => new HttpRequestError({ url: "", status: 413 })
}

/** `counts`: the number of logs of each block, from block 0. */
const nodeOf = (counts: ReadonlyArray<number>, { blocks, most, refusal }: Bounds) => {
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
  const asked: Array<string> = []
  const request = ({ method, params }: { readonly method: string; readonly params: ReadonlyArray<unknown> }) => {
    asked.push(method)
    const [first] = params
    if (method === "eth_getBlockReceipts") {
      const block = Number(first)
      return Promise.resolve([{ blockHash: blockHash(block), transactionHash: blockHash(block), logs: logsOf(block) }])
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

const walked = async (counts: ReadonlyArray<number>, bounds: Bounds) => {
  const { asked, client } = nodeOf(counts, bounds)
  const found: Array<Log> = []
  for await (const log of walkLogs(client, filters, 0n, BigInt(counts.length - 1))) found.push(log)
  return { asked, found: found.map(({ blockNumber, logIndex }) => `${blockNumber}:${logIndex}`) }
}

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
          assert.deepStrictEqual(
            found,
            counts.flatMap((count, block) => Array.from({ length: count }, (_, index) => `${block}:${index}`))
          )
          assert.isAtMost(asked.length, 6 * counts.length + 2)
        }
      )
    ))

  it("are not taken to be absent when a node refuses a block and does not have it", async () => {
    const request = ({ method }: { readonly method: string }) =>
      method === "eth_getLogs" ? Promise.reject(refusals.code()) : Promise.resolve(null)
    const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
    const failed = await walkLogs(client, filters.slice(0, 1), 0n, 9n).next().then(() => "read", () => "failed")
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
      const failed = await walkLogs(client, filters.slice(0, 1), 0n, 9n).next().then(() => "read", () => "failed")
      assert.deepStrictEqual([failed, asked], ["failed", 1])
    }
  })
})
