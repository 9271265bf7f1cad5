/** A receipt counts in the block that the chain has at its height, wherever its transaction was seen before. */
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createPublicClient, custom, numberToHex, toHex } from "viem"
import type { Hex } from "viem"
import { standingReceipt } from "./Receipt.ts"

const TRANSACTION = toHex(7, { size: 32 })
const blockHash = (height: number, fork: number): Hex => toHex(1_000 * (height + 1) + fork, { size: 32 })
const timeOf = (height: number, fork: number): number => 1_700_000_000 + 10 * height + fork

interface Case {
  /** The fork that the chain has at each height. */
  readonly forks: ReadonlyArray<number>
  /** The block that the node's receipt names, which may be one that is still being built (EVM-8). */
  readonly receipt: { readonly height: number; readonly fork: number } | undefined
  /** Where the transaction was last seen, and which block the node shows there at first, before a reorg. */
  readonly near: { readonly height: number; readonly fork: number } | undefined
}

const cases: fc.Arbitrary<Case> = fc.record({
  forks: fc.array(fc.nat({ max: 2 }), { minLength: 5, maxLength: 5 }),
  receipt: fc.option(fc.record({ height: fc.nat({ max: 5 }), fork: fc.nat({ max: 2 }) }), { nil: undefined }),
  near: fc.option(fc.record({ height: fc.nat({ max: 6 }), fork: fc.nat({ max: 2 }) }), { nil: undefined })
})

/** A node that reorganises after it was asked for the block near which the transaction was seen. */
const nodeOf = ({ forks, near, receipt }: Case, byReading: boolean) => {
  const asked: Array<string> = []
  let isFirst = !byReading
  const blockAt = (height: number) => {
    const fork = isFirst && height === near?.height ? near.fork : forks[height]
    isFirst = false
    if (fork === undefined || height >= forks.length) return null
    return {
      number: numberToHex(height),
      hash: blockHash(height, fork),
      timestamp: numberToHex(timeOf(height, fork)),
      transactions: []
    }
  }
  const request = ({ method, params }: { readonly method: string; readonly params: ReadonlyArray<unknown> }) => {
    asked.push(method)
    if (method === "eth_getBlockByNumber") return Promise.resolve(blockAt(Number(params[0])))
    return Promise.resolve(
      receipt === undefined ? null : {
        transactionHash: TRANSACTION,
        blockNumber: numberToHex(receipt.height),
        blockHash: blockHash(receipt.height, receipt.fork),
        status: "0x1",
        logs: []
      }
    )
  }
  return { asked, client: createPublicClient({ transport: custom({ request }, { retryCount: 0 }) }) }
}

it("a receipt stands in the block that the chain has or had a moment ago at its height, and in no other", () =>
  fc.assert(
    fc.asyncProperty(cases, fc.boolean(), async (given, byReading) => {
      const { forks, near, receipt } = given
      const { asked, client } = nodeOf(given, byReading)
      const reading = near === undefined
        ? undefined
        : byReading
        ? Promise.resolve({ hash: blockHash(near.height, near.fork), time: timeOf(near.height, near.fork) })
        : BigInt(near.height)
      const found = await standingReceipt(client, TRANSACTION, reading)
      const isSeen = near !== undefined && receipt !== undefined && near.height === receipt.height &&
        near.fork === receipt.fork && (byReading || near.height < forks.length)
      const stands = receipt !== undefined && (isSeen || forks[receipt.height] === receipt.fork)
      if (!stands) return assert.isUndefined(found)
      assert.strictEqual(found?.receipt.blockHash, blockHash(receipt.height, receipt.fork))
      assert.strictEqual(found?.time, timeOf(receipt.height, receipt.fork))
      // What was read at the same time is not read again.
      if (isSeen) assert.strictEqual(asked.length, byReading ? 1 : 2)
    })
  ))
