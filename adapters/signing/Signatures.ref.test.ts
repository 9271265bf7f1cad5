/** The native curve against noble's: equal signatures, recoveries and refusals. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { createRequire } from "node:module"
import { inputs } from "../../scripts/testing/Tally.ts"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import type { Hex } from "../../src/domain/encoding/Hex.ts"
import { Hex32, hex32FromDigest, hexFromBytes } from "../../src/domain/encoding/Hex.ts"
import { nobleCurve } from "../../src/domain/encoding/NobleCurve.ts"
import { personalDigest, signaturesOn } from "../../src/domain/encoding/Signature.ts"
import { isOwnMapping, mappingDigest } from "../../src/domain/nonce-mapping/NonceMapping.ts"
import { makeSignatures } from "./LocalSignatures.ts"
import { nativeCurve } from "./secp256k1/NativeCurve.ts"

const order = 0xffffffff_ffffffff_ffffffff_fffffffe_baaedce6_af48a03b_bfd25e8c_d0364141n
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const edges = [0n, 1n, order >> 1n, (order >> 1n) + 1n, order - 1n, order, order + 1n, (1n << 256n) - 1n]
const scalar = fc.oneof(fc.constantFrom(...edges), bytes32.map((bytes) => BigInt(hexFromBytes(bytes))))
const signature = fc.tuple(scalar, scalar, fc.constantFrom("00", "01", "1b", "1c", "1d")).map(([r, s, v]): Hex =>
  `0x${word(r)}${word(s)}${v}` as Hex
)

const noble = signaturesOn(nobleCurve)
const native = makeSignatures(await nativeCurve())

const outcome = <A, E>(result: Result.Result<A, E>): A | "refused" =>
  Result.isSuccess(result) ? result.success : "refused"

describe("signatures by libsecp256k1", () => {
  it("run here, and report it", () => {
    assert.strictEqual(native.engine, "libsecp256k1")
  })

  it("equal noble's, for every key and digest, and both refuse the same invalid keys", () => {
    fc.assert(
      fc.property(bytes32, scalar, (digest, secret) => {
        const key = Hex32.make(`0x${word(secret)}`)
        assert.strictEqual(outcome(native.signDigest(digest, key)), outcome(noble.signDigest(digest, key)))
        assert.strictEqual(outcome(native.accountOfKey(key)), outcome(noble.accountOfKey(key)))
      }),
      { numRuns: inputs(300, 10_000) }
    )
  })

  it("recover to the same account, or are refused by both, for every r, s and v", () => {
    fc.assert(
      fc.property(bytes32, signature, (digest, given) => {
        assert.strictEqual(outcome(native.recoverDigest(digest, given)), outcome(noble.recoverDigest(digest, given)))
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("verify for their signer and no other", () => {
    fc.assert(
      fc.property(bytes32.map(hex32FromDigest), fc.bigInt({ min: 1n, max: order - 1n }), (hash, secret) => {
        const key = Hex32.make(`0x${word(secret)}`)
        const signer = Result.getOrThrow(native.accountOfKey(key))
        const signed = Result.getOrThrow(native.signDigest(personalDigest(hash), key))
        assert.isTrue(native.isSignedBy(hash, signed, signer) && noble.isSignedBy(hash, signed, signer))
        const another = hex32FromDigest(personalDigest(hash))
        assert.isFalse(native.isSignedBy(another, signed, signer))
      }),
      { numRuns: inputs(200, 5_000) }
    )
  })

  it("accept the same nonce mappings: the wallet's own, and no other", () => {
    const wallet = fc.bigInt({ min: 1n, max: order - 1n })
    fc.assert(
      fc.property(wallet, fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), fc.boolean(), (secret, nonce, isChanged) => {
        const key = Hex32.make(`0x${word(secret)}`)
        const account = Result.getOrThrow(native.accountOfKey(key))
        const unsigned = {
          chain: ChainSlug.make("exchangea"),
          wallet: account,
          depositor: account,
          nonce,
          id: Hex32.make(`0x${word(nonce)}`),
          signatureChainId: 42_161
        }
        const signed = Result.getOrThrow(native.signDigest(Result.getOrThrow(mappingDigest(unsigned)), key))
        const mapping = { ...unsigned, signature: signed, ...(isChanged ? { signatureChainId: 1 } : {}) }
        assert.strictEqual(isOwnMapping(mapping, native.recoverDigest), !isChanged)
        assert.strictEqual(isOwnMapping(mapping), !isChanged)
      }),
      { numRuns: inputs(50, 2_000) }
    )
  })

  it("fall back to noble without a build, or with a broken one", async () => {
    const none = () => Promise.reject(new Error("No native build was found"))
    for (const load of [none, () => Promise.resolve({}), () => Promise.resolve(undefined)]) {
      const fallback = makeSignatures(await nativeCurve(load))
      assert.strictEqual(fallback.engine, "noble")
      const key = Hex32.make(`0x${word(7n)}`)
      assert.strictEqual(outcome(fallback.accountOfKey(key)), outcome(native.accountOfKey(key)))
    }
  })

  it("never load elliptic", () => {
    const cached = Object.keys(createRequire(import.meta.url).cache)
    assert.isTrue(cached.some((path) => path.includes("secp256k1")))
    assert.isFalse(cached.some((path) => /[\\/]elliptic/.test(path)))
  })
})
