import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ChainId, ChainSlug } from "./ChainId.ts"
import { Hex, Hex32, Hex32FromString, HexFromString, hexFromBytes, hexToBytes, isZero32 } from "../encoding/Hex.ts"

const accepts = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Result.isSuccess(Schema.decodeUnknownResult(schema)(value))

describe("chain ids and slugs", () => {
  it("are positive safe integers, and lower-case words", () => {
    for (const value of [1, 8453, 792703809, Number.MAX_SAFE_INTEGER]) assert.isTrue(accepts(ChainId, value))
    for (const value of [0, -1, 1.5, Number.NaN, 2 ** 53, "1", 1n, null]) assert.isFalse(accepts(ChainId, value))
    for (const value of ["ethereum", "base-sepolia", "0x", "1"]) assert.isTrue(accepts(ChainSlug, value))
    for (const value of ["", "Ethereum", "-base", "a b", "a:b", "é", "a".repeat(65), 1]) {
      assert.isFalse(accepts(ChainSlug, value))
    }
  })
})

describe("hex", () => {
  it("is canonical in lower case, and any case on the wire becomes so", () => {
    assert.isTrue(accepts(Hex, "0x"))
    assert.isFalse(accepts(Hex, "0xAB"))
    assert.strictEqual(Schema.decodeSync(HexFromString)("0xAB"), "0xab")
    assert.strictEqual(Schema.decodeSync(Hex32FromString)(`0x${"AB".repeat(32)}`), `0x${"ab".repeat(32)}`)
    for (const value of ["", "ab", "0xa", "0Xab", "0xzz", " 0xab", "0xab\n"]) {
      assert.isFalse(accepts(HexFromString, value), value)
    }
    for (const value of ["0x", `0x${"a".repeat(63)}`, `0x${"a".repeat(65)}`, `0x${"a".repeat(66)}`]) {
      assert.isFalse(accepts(Hex32FromString, value))
      assert.isFalse(accepts(Hex32, value))
    }
  })

  it("is its bytes", () => {
    assert.deepStrictEqual(hexToBytes(hexFromBytes(Uint8Array.of(0, 1, 255))), Uint8Array.of(0, 1, 255))
    assert.isTrue(isZero32(Hex32.make(`0x${"0".repeat(64)}`)))
    assert.isFalse(isZero32(Hex32.make(`0x${"0".repeat(63)}1`)))
  })
})
