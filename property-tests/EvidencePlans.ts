/**
 * Random plans of worlds: all families on both sides, often with equal recipients and currencies, amounts up to 2^128.
 */
import * as fc from "fast-check"
import { vmFamilies } from "../src/domain/chain/VmFamily.ts"
import type { WorldPlan } from "./EvidenceWorld.ts"

/** Small, around 2^53, or large, to show wrong formulas and lost precision of doubles. */
export const anyAmount: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: 1n, max: 1_000n }),
  fc.bigInt({ min: (1n << 53n) - 2n, max: (1n << 53n) + 2n }),
  fc.bigInt({ min: 1n, max: 1n << 128n })
)

export const anyPlan: fc.Arbitrary<WorldPlan> = fc.record({
  origin: fc.constantFrom(...vmFamilies),
  destination: fc.constantFrom(...vmFamilies),
  inputs: fc.array(
    fc.record({
      requested: anyAmount,
      paid: anyAmount,
      weight: fc.bigInt({ min: 1n, max: 1n << 64n }),
      currency: fc.integer({ min: 0, max: 1 }),
      refundMinimum: fc.oneof({ weight: 9, arbitrary: anyAmount }, { weight: 1, arbitrary: fc.constant(0n) }),
      refundTo: fc.option(fc.integer({ min: 30, max: 31 }), { nil: undefined })
    }),
    { minLength: 1, maxLength: 3 }
  ),
  payments: fc.array(
    fc.record({
      recipient: fc.integer({ min: 40, max: 41 }),
      currency: fc.integer({ min: 0, max: 1 }),
      minimum: anyAmount,
      extra: fc.bigInt({ min: 0n, max: 3n })
    }),
    { minLength: 1, maxLength: 3 }
  ),
  calls: fc.integer({ min: 0, max: 3 }),
  fees: fc.integer({ min: 0, max: 2 }),
  together: fc.boolean()
})
