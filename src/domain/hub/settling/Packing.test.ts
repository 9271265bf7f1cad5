import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { retryDelayOf } from "./RecheckDelay.ts"
import { callsOf, packed } from "./Packing.ts"
import type { Ready } from "./Packing.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)

/** Deposits of few transactions, so they often share a mint. */
const ready = fc.array(
  fc.record({ mint: fc.option(fc.nat(5)), actions: fc.integer({ min: 1, max: 60 }), alone: fc.boolean() }),
  { maxLength: 40 }
).map((all) =>
  all.map(({ actions, alone, mint }, index): Ready => {
    const call = (key: number, many: number) => ({
      idempotencyKey: word(key),
      actions: Array.from({ length: many }, () => Hex.make("0x")),
      signatures: []
    })
    return {
      deposit: word(1_000 + index),
      alone,
      calls: [...(mint === null ? [] : [call(mint, actions)]), call(100 + index, 1)]
    }
  })
)

describe("a submission", () => {
  it("has every deposit once, in order, its mint before its transfer, no key twice, and is no larger than a transaction allows", () => {
    fc.assert(
      fc.property(ready, (all) => {
        const packs = packed(all)
        assert.deepStrictEqual(packs.flat(), all)
        for (const pack of packs) {
          const keys = callsOf(pack).map(({ idempotencyKey }) => idempotencyKey)
          assert.strictEqual(new Set(keys).size, keys.length)
          for (const { calls } of pack) {
            const places = calls.map(({ idempotencyKey }) => keys.indexOf(idempotencyKey))
            assert.isTrue(
              places.every((place, index) => place >= 0 && (index === 0 || place > (places[index - 1] ?? 0)))
            )
          }
          const actions = pack.reduce(
            (sum, { calls }) => sum + calls.reduce((some, call) => some + call.actions.length, 0),
            0
          )
          assert.isTrue(pack.length === 1 || (actions <= 48 && !pack.some(({ alone }) => alone)))
        }
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })

  it("waits longer each time, up to a limit", () => {
    const waits = Array.from({ length: 40 }, (_, attempts) => retryDelayOf(attempts, 1))
    assert.deepStrictEqual(waits, waits.toSorted((one, other) => one - other))
    assert.strictEqual(waits[0], 1_000)
    assert.strictEqual(waits.at(-1), 600_000)
    assert.strictEqual(retryDelayOf(0, 0), 500)
  })
})
