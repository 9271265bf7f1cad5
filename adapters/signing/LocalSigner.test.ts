/**
 * The signer contract, run by the local signers of both curves and by keys derived from one seed; and golden
 * signatures.
 */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { createPublicKey, verify } from "node:crypto"
import { privateKeyToAccount } from "viem/accounts"
import type { Ed25519Signer, Secp256k1Signer } from "../../ports/signing/Signer.ts"
import { AttestationSigner } from "../../ports/signing/AttestationSigner.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import { deriveEd25519, deriveSecp256k1 } from "../../src/domain/deposit-address/HardenedKeys.ts"
import { Hex, Hex32, hexFromBytes, hexToBytes } from "../../src/domain/encoding/Hex.ts"
import { layer as layerAttestations } from "./LocalAttestationSigner.ts"
import * as LocalSignatures from "./LocalSignatures.ts"
import { localEd25519, localEd25519Tree, localSecp256k1, localSecp256k1Tree } from "./LocalSigner.ts"
import { nativeCurve } from "./secp256k1/NativeCurve.ts"
import { assertUnseen, digests, isSecp256k1, signerSuite } from "./testing/SignerSuite.ts"

const messages = [new Uint8Array(), Uint8Array.of(1), new Uint8Array(1232).fill(7)]
const key = Hex32.make(`0x${"a1b2c3d4".repeat(8)}`)

const SPKI_ED25519 = Buffer.from("302a300506032b6570032100", "hex")
const isEd25519 = (signature: Uint8Array, message: Uint8Array, { publicKey }: Ed25519Signer) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([SPKI_ED25519, publicKey]), format: "der", type: "spki" }),
    signature
  )

const secp256k1On = (engine: "noble" | "native") =>
  Effect.gen(function*() {
    const signatures = LocalSignatures.makeSignatures(
      engine === "noble" ? undefined : yield* Effect.promise(() => nativeCurve())
    )
    return yield* Effect.provideService(localSecp256k1(Redacted.make(key)), Signatures, signatures)
  })

for (const engine of ["noble", "native"] as const) {
  describe(`a local signer of secp256k1 (${engine})`, () => {
    signerSuite(
      Effect.map(secp256k1On(engine), (signer) => ({
        signer,
        secrets: [key],
        messages: digests,
        verify: isSecp256k1,
        deterministic: true
      }))
    )

    it.effect("has the account of a wallet with the same key, and signs alike", () =>
      Effect.gen(function*() {
        const [signer, wallet] = [yield* secp256k1On(engine), privateKeyToAccount(key)]
        assert.strictEqual(signer.account, wallet.address.toLowerCase())
        for (const digest of digests) {
          assert.strictEqual(
            hexFromBytes(yield* signer.sign(digest)),
            yield* Effect.promise(() => wallet.sign({ hash: hexFromBytes(digest) }))
          )
        }
      }))
  })
}

describe("a local signer of attestations", () => {
  signerSuite(
    Effect.gen(function*() {
      const services = yield* Layer.build(Layer.provide(layerAttestations(Redacted.make(key)), LocalSignatures.layer))
      const { address, signDigest } = Context.get(services, AttestationSigner)
      const signer: Secp256k1Signer = {
        curve: "secp256k1",
        account: yield* address,
        sign: (digest) => Effect.map(signDigest(digest), hexToBytes)
      }
      return { signer, secrets: [key], messages: digests, verify: isSecp256k1, deterministic: true }
    })
  )
})

describe("a local signer of ed25519", () => {
  const signer = localEd25519(Redacted.make(hexToBytes(key)))
  signerSuite(Effect.succeed({ signer, secrets: [key], messages, verify: isEd25519, deterministic: true }))

  it.effect("signs as in RFC 8032", () =>
    Effect.gen(function*() {
      const known = localEd25519(
        Redacted.make(hexToBytes(Hex.make("0x9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")))
      )
      assert.strictEqual(
        hexFromBytes(known.publicKey),
        "0xd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
      )
      assert.strictEqual(
        hexFromBytes(yield* known.sign(new Uint8Array())),
        "0xe5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
      )
    }))
})

describe("a key of a seed", () => {
  const seed = Hex.make(`0x${"5eed0123".repeat(8)}`)
  const tree = localEd25519Tree(Redacted.make(seed))
  const path = [44, 501, 7, 9]
  const derived = hexFromBytes(deriveEd25519(hexToBytes(seed), path))
  signerSuite(
    Effect.map(tree(path), (signer) => ({
      signer,
      secrets: [seed, derived],
      messages,
      verify: isEd25519,
      deterministic: true
    }))
  )

  it.effect("is derived by its path, the same each time, and differs for another path", () =>
    Effect.gen(function*() {
      const [one, again, other] = [yield* tree(path), yield* tree(path), yield* tree([44, 501, 7, 10])]
      assert.deepStrictEqual(one.publicKey, localEd25519(Redacted.make(hexToBytes(derived))).publicKey)
      assert.deepStrictEqual(again.publicKey, one.publicKey)
      assert.notDeepEqual(other.publicKey, one.publicKey)
      assertUnseen(tree, [seed])
    }))
})

describe("a key of a seed, of secp256k1", () => {
  const seed = Hex.make(`0x${"5eed0123".repeat(8)}`)
  const tree = Effect.provide(localSecp256k1Tree(Redacted.make(seed)), LocalSignatures.layer)
  const path = [44, 0, 7, 9]
  const derived = hexFromBytes(deriveSecp256k1(hexToBytes(seed), path))
  signerSuite(
    Effect.map(Effect.flatMap(tree, (of) => of(path)), (signer) => ({
      signer,
      secrets: [seed, derived],
      messages: digests,
      verify: isSecp256k1,
      deterministic: true
    }))
  )

  it.effect("is derived by its path, the same each time, and differs for another path", () =>
    Effect.gen(function*() {
      const of = yield* tree
      const [one, again, other] = [yield* of(path), yield* of(path), yield* of([44, 0, 7, 10])]
      assert.strictEqual(one.account, privateKeyToAccount(derived).address.toLowerCase())
      assert.strictEqual(again.account, one.account)
      assert.notStrictEqual(other.account, one.account)
      assertUnseen(of, [seed])
    }))
})
