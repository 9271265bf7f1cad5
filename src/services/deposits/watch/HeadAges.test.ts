import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { alpha, beta } from "../../../domain/quote/testing/Chains.ts"
import { makeHeadAges } from "./HeadAges.ts"

const shown = (name: string, chain: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(({ attributes, id }) => id === name && attributes?.["chain"] === chain)
    return found !== undefined && "value" in found.state ? Number(found.state.value) : undefined
  })

const head = (height: bigint, time: number) => ({ height, hash: `0x${height}`, time })

describe("how far a chain was read", () => {
  it.effect("is shown in blocks, and the age of its newest block grows while the chain is silent", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* TestClock.setTime(1_000_000)
      const ages = yield* makeHeadAges
      yield* Effect.forkScoped(ages.tell)
      yield* ages.note(alpha, head(50n, 990), 40n)
      // An endpoint that is behind what was scanned, whose clock is ahead of ours.
      yield* ages.note(beta, head(30n, 1_003), 35n)
      const all = (chain: string) =>
        Effect.all(
          ["chain_head_height", "chain_lag_blocks", "chain_head_age_seconds"].map((name) => shown(name, chain))
        )
      assert.deepStrictEqual(yield* all("alpha"), [50, 10, 10])
      assert.deepStrictEqual(yield* all("beta"), [30, 0, 0])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* shown("chain_head_age_seconds", "alpha"), 70)
      yield* ages.note(alpha, head(51n, 1_059), 51n)
      assert.deepStrictEqual(yield* all("alpha"), [51, 0, 1])
    })))
})
