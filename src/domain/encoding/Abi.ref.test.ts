/** The strict ABI codec against viem's, and against garbage. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { encodeAbiParameters } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import {
  abiAddress,
  abiArray,
  abiBool,
  abiBytes,
  abiBytes32,
  abiString,
  abiTuple,
  abiUint,
  decodeAbi,
  encodeAbi
} from "./Abi.ts"
import { asAddress } from "../families/AddressCodec.ts"
import { Hex, hex32FromDigest, hexFromBytes, hexToBytes } from "./Hex.ts"

const hexOf = Schema.decodeUnknownSync(Hex)

const uint = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n })
const account = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => asAddress(hexFromBytes(bytes)))
const bytes = fc.uint8Array({ maxLength: 100 }).map(hexFromBytes)
const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hex32FromDigest)

/** All types of the codec, nested in tuples and arrays. */
const shape = abiTuple({
  small: abiUint(8),
  who: abiAddress,
  note: abiString,
  inner: abiTuple({ flag: abiBool, hash: abiBytes32 }),
  many: abiArray(abiTuple({ data: abiBytes, value: abiUint(64) })),
  numbers: abiArray(abiUint(256)),
  nested: abiArray(abiArray(abiBytes))
})
const value = fc.record({
  small: uint(8),
  who: account,
  note: fc.string({ unit: "grapheme", maxLength: 60 }),
  inner: fc.record({ flag: fc.boolean(), hash: word }),
  many: fc.array(fc.record({ data: bytes, value: uint(64) }), { maxLength: 4 }),
  numbers: fc.array(uint(256), { maxLength: 4 }),
  nested: fc.array(fc.array(bytes, { maxLength: 3 }), { maxLength: 3 })
}, { noNullPrototype: true })

const viemShape = [
  { type: "uint8" },
  { type: "address" },
  { type: "string" },
  { type: "tuple", components: [{ name: "flag", type: "bool" }, { name: "hash", type: "bytes32" }] },
  { type: "tuple[]", components: [{ name: "data", type: "bytes" }, { name: "value", type: "uint64" }] },
  { type: "uint256[]" },
  { type: "bytes[][]" }
] as const

describe("the ABI codec", () => {
  it("encodes as viem does, and decodes what it encoded", () => {
    fc.assert(
      fc.property(value, (each) => {
        const encoded = Result.getOrThrow(encodeAbi(shape, each))
        const theirs = encodeAbiParameters(viemShape, [
          Number(each.small),
          each.who as `0x${string}`,
          each.note,
          each.inner,
          each.many,
          each.numbers,
          each.nested
        ])
        assert.strictEqual(encoded, theirs)
        assert.deepStrictEqual(Result.getOrThrow(decodeAbi(shape, encoded)), each)
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("refuses a damaged encoding, or decodes it as the one encoding of another value; never throws", () => {
    const damaged = fc.tuple(
      value,
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 }),
      fc.integer({ min: -64, max: 64 })
    )
      .map(([each, changes, length]) => {
        const original = hexToBytes(Result.getOrThrow(encodeAbi(shape, each)))
        const data = new Uint8Array(Math.max(0, original.length + length))
        data.set(original.subarray(0, data.length))
        for (const [where, byte] of changes) if (data.length > 0) data[where % data.length] = byte
        return hexFromBytes(data)
      })
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: damaged }, fc.uint8Array({ maxLength: 400 }).map(hexFromBytes)),
        (encoded) => {
          const decoded = decodeAbi(shape, encoded)
          if (Result.isFailure(decoded)) return
          assert.strictEqual(Result.getOrThrow(encodeAbi(shape, decoded.success)), encoded)
        }
      ),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })

  it("refuses numbers beyond their bits, accounts that are not canonical, and invalid UTF-8", () => {
    const one = abiTuple({ value: abiUint(64) })
    for (const wrong of [-1n, 1n << 64n]) assert.isTrue(Result.isFailure(encodeAbi(one, { value: wrong })))
    assert.isTrue(Result.isFailure(encodeAbi(abiTuple({ to: abiAddress }), { to: asAddress("0x1") })))
    assert.isTrue(Result.isFailure(encodeAbi(abiTuple({ text: abiString }), { text: "\uD800" })))
    const invalid = encodeAbiParameters([{ type: "bytes" }], ["0xff"])
    assert.isTrue(Result.isFailure(decodeAbi(abiTuple({ text: abiString }), hexOf(invalid))))
  })

  it("refuses a count or an offset that claims gigabytes at once", () => {
    const list = abiTuple({ list: abiArray(abiArray(abiBytes)) })
    const words = (...values: ReadonlyArray<bigint>) =>
      hexOf(`0x${values.map((each) => each.toString(16).padStart(64, "0")).join("")}`)
    for (
      const encoded of [
        words(32n, 2n ** 255n),
        words(32n, 2n ** 31n, 32n),
        words(32n, 3n, 96n, 96n, 96n, 0n),
        words(0n),
        words(32n, 1n, 0n)
      ]
    ) {
      assert.isTrue(Result.isFailure(decodeAbi(list, encoded)))
    }
  })
})
