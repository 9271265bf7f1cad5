import { assert, it } from "@effect/vitest"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { keccak } from "./Keccak.ts"
import { makePermutation } from "./KeccakPermutation.ts"

it("the permutation runs in WebAssembly here, so that the comparison below is one of two implementations", () => {
  assert.isDefined(makePermutation())
})

it("keccak is @noble/hashes' keccak_256 at every length and for any bytes", () => {
  for (let length = 0; length <= 600; length++) {
    const data = new Uint8Array(length).fill(length & 0xff)
    assert.deepStrictEqual(keccak(data), keccak_256(data))
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (data) => {
      assert.deepStrictEqual(keccak(data), keccak_256(data))
    }),
    { numRuns: inputs(2_000, 200_000) }
  )
})
