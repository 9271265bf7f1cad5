/** No single endpoint says what a payment burns (EVM-9). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PublicClient } from "viem"
import type { Rotation } from "../../endpoints/Rotation.ts"
import { askSeveral } from "../../endpoints/AskSeveral.ts"
import type { Endpoint } from "../../endpoints/AskEndpoint.ts"
import { alpha } from "../../../src/domain/quote/testing/Chains.ts"
import { boundedTip, tipBounds, withBoundedTip } from "./TipBounds.ts"

const GWEI = 1_000_000_000n
const GREAT = 10n ** 20n

/** Hosts that name these tips, as they are preferred. */
const agreedOf = (tips: ReadonlyArray<bigint>, needed: number, bases: ReadonlyArray<bigint> = []) => {
  let asked = 0
  const all = tips.map((tip, at): Endpoint<PublicClient> => ({
    client: {
      estimateMaxPriorityFeePerGas: () => {
        asked += 1
        return Promise.resolve(tip)
      },
      getBlock: () => Promise.resolve({ baseFeePerGas: bases[at] ?? 0n })
    } as unknown as PublicClient,
    host: `h${at}`,
    verified: true,
    restsUntil: 0,
    leftOutUntil: 0,
    contradicting: undefined
  }))
  const rpc = {
    isAlone: () => needed === 1,
    several: ((chain, operation, run, isEnough) =>
      askSeveral(
        ({ client }, _chain, _operation, asking) => Effect.promise(() => asking(client, { done: () => {} })),
        { all, needed },
        chain,
        operation,
        run,
        isEnough
      )) satisfies Rotation<PublicClient>["several"]
  } as unknown as Rotation<PublicClient>
  return Effect.map(tipBounds(rpc, alpha), (bounds) => ({ agreed: bounds?.agreed, most: bounds?.most, asked }))
}

describe("the tip of a payment", () => {
  it.effect("is between what honest endpoints name, whichever one lies", () =>
    Effect.gen(function*() {
      const [low, high] = [2n * GWEI, 3n * GWEI]
      for (const lie of [0n, GREAT]) {
        for (const tips of [[lie, low, high], [low, lie, high], [low, high, lie]]) {
          const { agreed } = yield* agreedOf(tips, 2)
          assert.isTrue(agreed !== undefined && agreed >= low && agreed <= high, tips.join(" "))
        }
      }
    }))

  it.effect("is the lower one where two are needed and there are no more", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* agreedOf([GREAT, GWEI], 2)).agreed, GWEI)
    }))

  it.effect("asks no more hosts than the quorum needs while these are near each other", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* agreedOf([GWEI, 2n * GWEI, GREAT, GREAT, GREAT], 3)).asked, 5)
      assert.strictEqual((yield* agreedOf([GWEI, 2n * GWEI, GWEI, GREAT, GREAT], 3)).asked, 3)
      // Where one host decides, it does so here.
      assert.deepStrictEqual(yield* agreedOf([GREAT, GWEI], 1), { agreed: undefined, most: undefined, asked: 0 })
    }))

  it.effect("may be as high as the base fee, by the lowest that one of them names", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* agreedOf([GWEI, 0n], 2, [9n * GWEI, 8n * GWEI])).most, 8n * GWEI)
      assert.strictEqual((yield* agreedOf([GWEI, GWEI, GWEI], 2, [GREAT, 8n * GWEI])).most, 8n * GWEI)
    }))

  it("is the preferred endpoint's within its bounds, and so is what it adds to the fees", () => {
    const bounds = { agreed: 2n, most: 4n }
    assert.deepStrictEqual([0n, 1n, 2n, 4n, 5n, 100n].map((named) => boundedTip(named, bounds)), [
      2n,
      1n,
      2n,
      4n,
      2n,
      2n
    ])
    assert.deepStrictEqual([boundedTip(0n, { agreed: 0n, most: 0n }), boundedTip(GREAT, undefined)], [0n, GREAT])
    const fees = {
      maxFeePerGas: 120n,
      maxPriorityFeePerGas: 100n,
      expectedFeePerGas: 111n,
      blockGasLimit: 1n,
      height: 1n
    }
    assert.deepStrictEqual(withBoundedTip(fees, bounds), {
      ...fees,
      maxFeePerGas: 22n,
      maxPriorityFeePerGas: 2n,
      expectedFeePerGas: 13n
    })
  })
})
