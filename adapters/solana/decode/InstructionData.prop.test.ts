import { assert, describe, it } from "@effect/vitest"
import { getBase58Decoder } from "@solana/kit"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { base58Text } from "./testing/Base58Text.ts"
import { dataOfBase58, MOST_DATA_BYTES } from "./InstructionData.ts"

describe("base58 of instruction data", () => {
  it("decodes what another encoder wrote, including leading zeros", () => {
    const bytes = fc.tuple(fc.nat(40), fc.uint8Array({ maxLength: 400 })).map(([zeros, rest]) =>
      Uint8Array.of(...new Uint8Array(zeros), ...rest)
    )
    fc.assert(
      fc.property(bytes, (data) => {
        const text = getBase58Decoder().decode(data)
        assert.strictEqual(base58Text(data), text)
        assert.deepStrictEqual(dataOfBase58(text), data)
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("is read up to 10 KiB", () => {
    for (const fill of [0, 1, 255]) {
      const data = new Uint8Array(MOST_DATA_BYTES).fill(fill)
      const text = base58Text(data)
      assert.deepStrictEqual(dataOfBase58(text), data)
    }
  })

  it("is refused when it has another character or is longer", () => {
    for (const text of ["0", "O", "l", "I", " 2", "2\n", "é", "2".repeat(14_001)]) {
      assert.isUndefined(dataOfBase58(text))
    }
    assert.deepStrictEqual(dataOfBase58(""), new Uint8Array())
  })
})
