/** Against @solana/kit: which bytes are points, and which addresses programs have. */
import { assert, describe, it } from "@effect/vitest"
import { address, getAddressDecoder, getProgramDerivedAddress, isOffCurveAddress } from "@solana/kit"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { isEd25519Point } from "./Ed25519Point.ts"
import { programAddress } from "./ProgramAddress.ts"

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** Little-endian numbers around zero and around the field's prime: the edge cases. */
const edges = fc.tuple(
  fc.constantFrom(0n, 2n ** 255n - 19n, 2n ** 255n - 1n),
  fc.integer({ min: -4, max: 4 }),
  fc.boolean()
).map(([around, by, sign]) => {
  const value = BigInt.asUintN(256, around + BigInt(by)) | (sign ? 1n << 255n : 0n)
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * index)) & 0xffn))
})

describe("addresses of programs", () => {
  it("are distinguished from curve points as kit does", () => {
    const decode = getAddressDecoder()
    fc.assert(
      fc.property(fc.oneof(bytes32, edges), (bytes) => {
        assert.strictEqual(isEd25519Point(bytes), !isOffCurveAddress(decode.decode(bytes)))
      }),
      { numRuns: inputs(500, 20_000) }
    )
    assert.isFalse(isEd25519Point(new Uint8Array(31)))
  })

  it("are where kit finds them, for any seeds", () => {
    const decode = getAddressDecoder()
    return fc.assert(
      fc.asyncProperty(
        bytes32,
        fc.array(fc.uint8Array({ maxLength: 32 }), { maxLength: 4 }),
        async (program, seeds) => {
          const at = decode.decode(program)
          const [expected] = await getProgramDerivedAddress({ programAddress: at, seeds })
          assert.strictEqual(String(programAddress(at, seeds)), expected)
        }
      ),
      { numRuns: inputs(100, 3_000) }
    )
  })

  it("do not exist for an invalid address", () => {
    assert.isUndefined(programAddress("not base58", []))
    assert.isString(address("11111111111111111111111111111111"))
  })
})
