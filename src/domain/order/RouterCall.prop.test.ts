/** Router calls and extra data: round trips, viem's encoding, and invalid input. */
import { families } from "../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { encodeAbiParameters } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { hexFromBytes, hexToBytes } from "../encoding/Hex.ts"
import { vmFamilies } from "../chain/VmFamily.ts"
import { decodeExtraData, encodeExtraData } from "./ExtraData.ts"
import { decodeRouterCall, encodeRouterCall } from "./RouterCall.ts"
import { account, hex, uint256 } from "./testing/Orders.ts"

const evm = account("ethereum-vm")
const call = fc.record({ to: evm, data: hex, value: uint256 }, { noNullPrototype: true })

const viemCall = [
  { type: "tuple", components: [{ name: "to", type: "address" }] },
  { type: "tuple", components: [{ name: "data", type: "bytes" }] },
  { type: "tuple", components: [{ name: "value", type: "uint256" }] }
] as const

describe("router calls", () => {
  it("are viem's encoding, and decode to themselves", () => {
    fc.assert(
      fc.property(call, (each) => {
        const encoded = Result.getOrThrow(encodeRouterCall(each))
        const { data, to, value } = each
        assert.strictEqual(encoded, encodeAbiParameters(viemCall, [{ to: to as `0x${string}` }, { data }, { value }]))
        assert.deepStrictEqual(Result.getOrThrow(decodeRouterCall(encoded)), each)
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("garbage is an error, or the one encoding of another call; never a throw", () => {
    const damaged = fc.tuple(call, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.integer({ min: -40, max: 40 })).map(
      ([each, where, byte, length]) => {
        const whole = hexToBytes(Result.getOrThrow(encodeRouterCall(each)))
        const data = new Uint8Array(whole.length + (byte % 3 === 0 ? length : 0))
        data.set(whole.subarray(0, data.length))
        data[where % data.length] = byte
        return hexFromBytes(data)
      }
    )
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: damaged }, { weight: 1, arbitrary: hex }), (encoded) => {
        const decoded = decodeRouterCall(encoded)
        if (Result.isSuccess(decoded)) assert.strictEqual(Result.getOrThrow(encodeRouterCall(decoded.success)), encoded)
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })

  it("a value beyond uint256 has no encoding", () => {
    const [each] = fc.sample(call, 1)
    if (each === undefined) return assert.fail("no sample")
    for (const value of [-1n, 1n << 256n]) assert.isTrue(Result.isFailure(encodeRouterCall({ ...each, value })))
  })
})

describe("extra data", () => {
  it("names a router of the family, in its own spelling", () => {
    for (const family of ["ethereum-vm", "tron-vm"] as const) {
      fc.assert(
        fc.property(account(family), (router) => {
          const encoded = Result.getOrThrow(encodeExtraData(families[family], router))
          assert.strictEqual(encoded.length, 66)
          assert.strictEqual(Result.getOrThrow(decodeExtraData(families[family], encoded)), router)
        }),
        { numRuns: inputs(500, 20_000) }
      )
    }
  })

  it("is empty without a router, and other families have none", () => {
    const [router] = fc.sample(evm, 1)
    for (const family of vmFamilies) {
      assert.strictEqual(Result.getOrThrow(encodeExtraData(families[family], undefined)), "0x")
      assert.isUndefined(Result.getOrThrow(decodeExtraData(families[family], hexFromBytes(new Uint8Array(0)))))
      if (family === "ethereum-vm" || family === "tron-vm") continue
      assert.isTrue(Result.isFailure(encodeExtraData(families[family], router)))
      assert.isTrue(Result.isFailure(decodeExtraData(families[family], hexFromBytes(new Uint8Array(32)))))
    }
  })

  it("garbage is an error, or the one encoding of a router; never a throw", () => {
    const words = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) =>
      hexFromBytes(Uint8Array.of(...new Uint8Array(12), ...bytes))
    )
    for (const family of vmFamilies) {
      fc.assert(
        fc.property(
          fc.oneof(hex, words, fc.uint8Array({ minLength: 30, maxLength: 34 }).map(hexFromBytes)),
          (encoded) => {
            const decoded = decodeExtraData(families[family], encoded)
            if (Result.isSuccess(decoded)) {
              assert.strictEqual(Result.getOrThrow(encodeExtraData(families[family], decoded.success)), encoded)
            }
          }
        ),
        { numRuns: inputs(3_500, 200_000) }
      )
    }
  })
})
