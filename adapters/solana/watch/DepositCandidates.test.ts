/** However many transactions name an account, successive scans find all of them, each with bounded memory. */
import { assert, describe, it } from "@effect/vitest"
import { address } from "@solana/kit"
import * as fc from "fast-check"
import { MOST, candidatesOf } from "./DepositCandidates.ts"

const account = address("11111111111111111111111111111111")

/** A node with this many transactions in each slot. Every tenth has failed. */
const nodeOf = (counts: ReadonlyArray<number>) => {
  const all = counts.flatMap((count, slot) =>
    Array.from({ length: count }, (_, index) => ({
      slot: BigInt(slot),
      err: index % 10 === 9 ? "failed" : null,
      signature: `${slot}:${index}`
    }))
  ).toReversed()
  const places = new Map(all.map(({ signature }, index) => [signature, index]))
  let requests = 0
  const getSignaturesForAddress = (_: unknown, { before, limit }: { before?: string; limit: number }) => ({
    send: () => {
      requests += 1
      const first = before === undefined ? 0 : (places.get(before) ?? 0) + 1
      return Promise.resolve(all.slice(first, first + limit))
    }
  })
  return {
    client: { getSignaturesForAddress } as never,
    requests: () => requests,
    succeeded: all.filter(({ err }) => err === null).map(({ signature }) => signature).toReversed()
  }
}

const scanAll = async (counts: ReadonlyArray<number>) => {
  const node = nodeOf(counts)
  const found = new Set<string>()
  let [cursor, scans] = [-1n, 0]
  while (true) {
    scans += 1
    const { places, upTo } = await candidatesOf(node.client, account, { cursor, from: cursor < 3n ? 0n : cursor - 3n })
    assert.isAtMost(places.filter(({ slot }) => slot > cursor).length, 2 * MOST)
    for (const { signature } of places.toReversed()) found.add(signature)
    if (upTo === undefined) return { found: [...found], scans, node }
    assert.isTrue(upTo > cursor, "it goes on")
    cursor = upTo
  }
}

describe("transactions of an account", () => {
  it("are all found in the chain's order, without failed ones", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 700 }), { minLength: 1, maxLength: 30 }), async (counts) => {
        const { found, node, scans } = await scanAll(counts)
        assert.deepStrictEqual(found, node.succeeded)
        assert.strictEqual(scans, 1)
      }),
      { numRuns: 30 }
    ))

  it("are found by several scans when there are too many for one, for any contents of the slots", async () => {
    const { found, node, scans } = await scanAll(
      Array.from({ length: 70 }, (_, slot) => slot % 7 === 0 ? 9_000 : 3_000)
    )
    assert.deepStrictEqual(found, node.succeeded)
    assert.isAtLeast(scans, 2)
    assert.isAtMost(scans, 6)
  })

  it("end with the page that goes below the requested slot", async () => {
    const node = nodeOf([50_000, 10, 10])
    const { places } = await candidatesOf(node.client, account, { cursor: 1n, from: 1n })
    assert.lengthOf(places, 18)
    assert.strictEqual(node.requests(), 1)
  })
})
