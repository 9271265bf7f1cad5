/** Signatures against viem, and every spelling that must be refused. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { parseSignature, recoverMessageAddress, serializeSignature } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Hex, Hex32, hex32FromDigest, hexFromBytes } from "./Hex.ts"
import { accountOfKey, isSignedBy, recoverHash, signHash } from "./Signature.ts"

const hash32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hex32FromDigest)
const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
const key = fc.bigInt({ min: 1n, max: order - 1n }).map((each) =>
  Hex32.make(`0x${each.toString(16).padStart(64, "0")}`)
)

describe("signatures", () => {
  it("are viem's, byte for byte, and recover to the same account", async () => {
    await fc.assert(
      fc.asyncProperty(hash32, key, async (hash, secret) => {
        const theirs = privateKeyToAccount(secret)
        const signature = Result.getOrThrow(signHash(hash, secret))
        assert.strictEqual(signature, await theirs.signMessage({ message: { raw: hash } }))
        const signer = Result.getOrThrow(recoverHash(hash, signature))
        assert.strictEqual(signer, theirs.address.toLowerCase())
        assert.strictEqual(signer, (await recoverMessageAddress({ message: { raw: hash }, signature })).toLowerCase())
        assert.strictEqual(Result.getOrThrow(accountOfKey(secret)), signer)
        assert.isTrue(isSignedBy(hash, signature, theirs.address))
      }),
      { numRuns: inputs(100, 5_000) }
    )
  })

  it("have one spelling: high s, v of 0 and 1, and other lengths are refused", () => {
    fc.assert(
      fc.property(hash32, key, (hash, secret) => {
        const signature = Result.getOrThrow(signHash(hash, secret))
        const { r, s, yParity } = parseSignature(signature)
        const high = serializeSignature({
          r,
          s: `0x${(order - BigInt(s)).toString(16).padStart(64, "0")}`,
          yParity: 1 - yParity
        })
        const zeroBased = `${signature.slice(0, -2)}0${yParity}`
        const wrong = [
          high,
          zeroBased,
          `${signature.slice(0, -2)}1d`,
          signature.slice(0, -2),
          `${signature}00`,
          "0x",
          `0x${"00".repeat(64)}1b`,
          `0x${"ff".repeat(64)}1b`
        ]
        for (const each of wrong) assert.isTrue(Result.isFailure(recoverHash(hash, Hex.make(each as `0x${string}`))))
      }),
      { numRuns: inputs(50, 2_000) }
    )
  })

  it("of garbage are an error, or another's signature; never a throw", () => {
    const signer = Result.getOrThrow(accountOfKey(Hex32.make(`0x${"bb".repeat(32)}`)))
    const garbage = fc.tuple(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.constantFrom(27, 28)).map((
      [bytes, v]
    ) => hexFromBytes(Uint8Array.of(...bytes, v)))
    fc.assert(
      fc.property(
        hash32,
        fc.oneof({ weight: 1, arbitrary: garbage }, {
          weight: 9,
          arbitrary: fc.uint8Array({ maxLength: 80 }).map(hexFromBytes)
        }),
        (hash, signature) => {
          assert.isFalse(isSignedBy(hash, signature, signer))
        }
      ),
      { numRuns: inputs(2_000, 50_000) }
    )
  })

  it("need a valid key: not zero, the group's order, or beyond", () => {
    for (const wrong of [0n, order, order + 1n, (1n << 256n) - 1n]) {
      const secret = Hex32.make(`0x${wrong.toString(16).padStart(64, "0")}`)
      const signed = signHash(secret, secret)
      assert.isTrue(Result.isFailure(signed) && !signed.failure.message.includes(secret.slice(2)))
      assert.isTrue(Result.isFailure(accountOfKey(secret)))
    }
  })
})
