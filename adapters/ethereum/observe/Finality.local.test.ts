/** The final block on a real chain whose rule is depth and age, however fast its blocks come. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createPublicClient, http, toHex } from "viem"
import { Anvil } from "../../../hosts/localnet/nodes/ethereum/Anvil.ts"
import { readHeads } from "./Finality.ts"

const BLOCKS = 10
const SECONDS = 60
const rule = { finality: { _tag: "Depth", blocks: BLOCKS, seconds: SECONDS } } as const

/** The final block of a chain with `count` blocks, `interval` seconds apart, when `blockTimeMs` is configured. */
const headsOf = (count: number, interval: number, blockTimeMs: number) =>
  Effect.scoped(Effect.gen(function*() {
    const anvil = yield* Anvil.start({ chainId: 616_109, accounts: 0 })
    yield* anvil.request("anvil_mine", [toHex(count), toHex(interval)])
    const client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 })
    const heads = yield* Effect.promise(() => readHeads(client, { ...rule, blockTimeMs }))
    const head = yield* Effect.promise(() => client.getBlock())
    const final = heads.finalHeight < 0n
      ? undefined
      : yield* Effect.promise(() => client.getBlock({ blockNumber: heads.finalHeight }))
    return {
      heads,
      depth: head.number - heads.finalHeight,
      age: Number(head.timestamp - (final?.timestamp ?? 0n)),
      hash: final?.hash
    }
  }))

describe("finality by depth and age", () => {
  for (const [interval, blockTimeMs, depth] of [[12, 12_000, 10n], [30, 12_000, 10n], [2, 2_000, 30n]] as const) {
    it.live(`of blocks ${interval} s apart, configured as ${blockTimeMs} ms, is ${depth} blocks deep`, () =>
      Effect.gen(function*() {
        const found = yield* headsOf(200, interval, blockTimeMs)
        assert.strictEqual(found.depth, depth)
        assert.isAtLeast(found.age, SECONDS)
        assert.strictEqual(found.heads.finalHash, found.hash)
      }))
  }

  for (const [interval, blockTimeMs] of [[1, 2_000], [1, 12_000], [2, 60_000]] as const) {
    it.live(`of blocks ${interval} s apart, configured as ${blockTimeMs} ms, is old enough, and not much older`, () =>
      Effect.gen(function*() {
        const { age, depth, heads } = yield* headsOf(400, interval, blockTimeMs)
        assert.isTrue(heads.finalHeight >= 0n && depth >= BigInt(BLOCKS))
        assert.isTrue(age >= SECONDS && age <= SECONDS + 4 * interval, `${age} s`)
      }))
  }

  it.live("has no block while the chain is too short or too young", () =>
    Effect.gen(function*() {
      for (const [count, interval] of [[5, 100], [30, 1]] as const) {
        const { heads } = yield* headsOf(count, interval, 2_000)
        assert.deepStrictEqual([heads.finalHeight, heads.finalHash], [-1n, undefined])
      }
    }))
})
