/** DER as a KMS writes it: encoded values decode, and any change of one byte that makes another spelling is refused. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { generateKeyPairSync } from "node:crypto"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Hex32, hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { accountOfKey, accountOfPublicKey } from "../../../src/domain/encoding/Signature.ts"
import { publicKeyToDer, signatureToDer } from "../testing/kms/EncodeDer.ts"
import { publicKeyFromDer, signatureFromDer } from "./Der.ts"
import { GROUP_ORDER } from "./RecoverableSignature.ts"

/** Any length from one bit on. In half of a KMS's answers r or s is shorter than 32 bytes, or padded. */
const scalar = fc.tuple(fc.integer({ min: 1, max: 256 }), fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })).map((
  [bits, value]
) => (value | (1n << 255n)) >> BigInt(256 - bits))
const read = (der: Uint8Array): readonly [bigint, bigint] | undefined => {
  const parsed = signatureFromDer(der)
  return Result.isSuccess(parsed)
    ? [BigInt(hexFromBytes(parsed.success.r)), BigInt(hexFromBytes(parsed.success.s))]
    : undefined
}

/** Arbitrary bytes, and signatures with a change. */
const mangled = fc.tuple(
  scalar,
  scalar,
  fc.nat(71),
  fc.integer({ min: 0, max: 255 }),
  fc.constantFrom("set", "insert", "cut")
).map(([r, s, at, byte, how]) => {
  const der = signatureToDer(r, s)
  const place = at % der.length
  if (how === "set") return der.with(place, byte)
  return how === "insert"
    ? Uint8Array.of(...der.subarray(0, place), byte, ...der.subarray(place))
    : der.subarray(0, place)
})

type Import = (der: Uint8Array) => Uint8Array
const Reference = Schema.Struct({
  signatureImport: Schema.declare((value): value is Import => typeof value === "function")
})
const libsecp256k1 = Schema.decodeUnknownSync(Reference)((await import("secp256k1/bindings.js")).default)

describe("DER of a KMS", () => {
  it("returns r and s of every length", () => {
    fc.assert(
      fc.property(scalar, scalar, (r, s) => {
        assert.deepStrictEqual(read(signatureToDer(r, s)), [r, s])
      }),
      { numRuns: inputs(2_000, 200_000) }
    )
  })

  it("has one encoding of a signature: whatever is read would be written the same", () => {
    fc.assert(
      fc.property(fc.oneof(mangled, fc.uint8Array({ maxLength: 80 })), (der) => {
        const found = read(der)
        if (found !== undefined) assert.deepStrictEqual(signatureToDer(...found), Uint8Array.from(der))
      }),
      { numRuns: inputs(5_000, 1_000_000) }
    )
  })

  it("is read as libsecp256k1 reads it", () => {
    fc.assert(
      fc.property(fc.oneof(mangled, fc.tuple(scalar, scalar).map(([r, s]) => signatureToDer(r, s))), (der) => {
        const found = read(der)
        // The other implementation is laxer: it turns values beyond the group's order into zeros.
        if (found === undefined || found.some((value) => value >= GROUP_ORDER)) return
        assert.strictEqual(
          hexFromBytes(libsecp256k1.signatureImport(der)),
          `0x${found.map((value) => value.toString(16).padStart(64, "0")).join("")}`
        )
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("refuses values of no bits and of 257, negative ones, and padded ones", () => {
    const ours = signatureToDer(1n, 1n)
    const of = (r: string, s: string) =>
      Uint8Array.from(Buffer.from(`30${((r.length + s.length) / 2).toString(16).padStart(2, "0")}${r}${s}`, "hex"))
    assert.deepStrictEqual(read(ours), [1n, 1n])
    for (const wrong of ["0200", "020100", "0201ff", "02020001", `022101${"00".repeat(32)}`, "030101", "0202", ""]) {
      assert.isUndefined(read(of(wrong, "020101")), wrong)
      assert.isUndefined(read(of("020101", wrong)), wrong)
    }
    for (
      const wrong of [
        of("020101", "02010102"),
        Uint8Array.of(...ours, 0),
        Uint8Array.of(0x31, ...ours.subarray(1)),
        Uint8Array.of(0x30, 0x81, ...ours.subarray(1))
      ]
    ) assert.isUndefined(read(wrong))
  })

  it("of a public key equals OpenSSL's and gives the key's account; with any byte changed it never gives another account", () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
    const der = Uint8Array.from(publicKey.export({ type: "spki", format: "der" }))
    const secret = hexFromBytes(Uint8Array.from(Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url")))
    const account = (bytes: Uint8Array) => Result.flatMap(publicKeyFromDer(bytes), accountOfPublicKey)
    assert.deepStrictEqual(Result.getOrThrow(account(der)), Result.getOrThrow(accountOfKey(Hex32.make(secret))))
    assert.deepStrictEqual(publicKeyToDer(Result.getOrThrow(publicKeyFromDer(der))), der)
    fc.assert(
      fc.property(fc.nat(der.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(4), (at, change, cut) => {
        assert.isTrue(Result.isFailure(account(der.with(at, (der[at] ?? 0) ^ change))), `byte ${at}`)
        if (cut > 0) assert.isTrue(Result.isFailure(publicKeyFromDer(der.subarray(0, -cut))))
        assert.isTrue(Result.isFailure(publicKeyFromDer(Uint8Array.of(...der, at))))
      }),
      { numRuns: inputs(300, 10_000) }
    )
    const p256 = generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey.export({
      type: "spki",
      format: "der"
    })
    assert.isTrue(Result.isFailure(publicKeyFromDer(Uint8Array.from(p256))))
  })
})
