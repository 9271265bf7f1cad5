/** Keys of deposit addresses as worlds derive them, against those of the service. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../scripts/testing/Tally.ts"
import { deriveSecp256k1 } from "../../src/domain/deposit-address/HardenedKeys.ts"
import { derivesFast } from "./FastCurve.ts"

const index = fc.oneof(fc.nat(2), fc.nat(2 ** 31 - 1))

describe("keys that a world derives", () => {
  it("are those that the service derives, whatever was derived before", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 64 }),
        fc.array(fc.array(index, { maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        (seed, paths) => {
          const derive = derivesFast(seed)
          for (const path of paths) assert.deepStrictEqual(derive(path), deriveSecp256k1(seed, path))
        }
      ),
      { numRuns: inputs(100, 2_000) }
    )
  })
})
