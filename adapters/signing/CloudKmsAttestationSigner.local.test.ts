/** A key in a KMS: AWS's unmodified client against a local KMS that checks SigV4 and really signs. */
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Redacted, Result, Scope } from "effect"
import { createServer } from "node:net"
import { AttestationSigner } from "../../ports/signing/AttestationSigner.ts"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
import { hex32FromDigest, hexFromBytes, hexToBytes } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey, personalDigest, recoverDigest } from "../../src/domain/encoding/Signature.ts"
import * as CloudKms from "./CloudKmsAttestationSigner.ts"
import type { CloudKmsKey } from "./kms/KmsKey.ts"
import * as LocalSignatures from "./LocalSignatures.ts"
import { digests, isSecp256k1, signerSuite } from "./testing/SignerSuite.ts"
import { localKms } from "./testing/kms/LocalKms.ts"

class Running extends Context.Service<Running, Effect.Success<typeof localKms>>()("test/KmsRunning") {
  static readonly layer = Layer.effect(Running, localKms)
}

const digestOf = (number: number): Uint8Array => personalDigest(hex32FromDigest(new Uint8Array(32).fill(number)))

const keyOf = ({ account: { accessKeyId, region, secretAccessKey }, keyId, url }: Running["Service"]): CloudKmsKey => ({
  keyId,
  region,
  endpoint: url,
  credentials: { accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) },
  // Only tests about time need a short deadline.
  deadlineMs: 60_000
})

/** The oracle's signer, as a signer with one key. */
const remote = Effect.gen(function*() {
  const kms = yield* localKms
  const services = yield* Layer.build(
    CloudKms.layer(keyOf(kms)).pipe(Layer.provide(LocalSignatures.layer), Layer.provide(Logger.layer([])))
  )
  const { address, signDigest } = Context.get(services, AttestationSigner)
  const signer: Secp256k1Signer = {
    curve: "secp256k1",
    account: yield* address,
    sign: (digest) => Effect.map(signDigest(digest), hexToBytes)
  }
  const credentials = hexFromBytes(new TextEncoder().encode(kms.account.secretAccessKey))
  return {
    signer,
    secrets: [hex32FromDigest(kms.secret), credentials],
    messages: digests,
    verify: isSecp256k1,
    deterministic: false
  }
})

describe("a signer in a KMS, as every signer", () => signerSuite(remote))

layer(Running.layer, { excludeTestServices: true })("a signer in a KMS", (it) => {
  /** A new signer, as in a process that has just started. Its probe at start is over. */
  const started = Effect.fnUntraced(function*(changes: Partial<CloudKmsKey> = {}) {
    const kms = yield* Running
    kms.fail(undefined)
    const scope = yield* Scope.make()
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    const context = yield* Layer.buildWithScope(
      CloudKms.layer({ ...keyOf(kms), ...changes }).pipe(
        Layer.provide(LocalSignatures.layer),
        Layer.provide(Logger.layer([]))
      ),
      scope
    )
    return {
      kms,
      signer: Context.get(context, AttestationSigner),
      account: Result.getOrThrow(accountOfKey(hex32FromDigest(kms.secret)))
    }
  })
  const faultOf = <A>(asked: Effect.Effect<A, { readonly fault: string }>) =>
    Effect.map(Effect.result(asked), (result) => Result.isFailure(result) ? result.failure.fault : "none")

  it.effect("signs with low s for its one account, for any s and length of r that the KMS returns, and requests the account once", () =>
    Effect.gen(function*() {
      const { account, kms, signer } = yield* started()
      const [asked, high] = [kms.requests("GetPublicKey"), kms.highS()]
      const numbers = Array.from({ length: 12 }, (_, index) => index)
      const sign = Effect.fnUntraced(function*(number: number) {
        const signature = yield* signer.signDigest(digestOf(number))
        assert.strictEqual(Result.getOrThrow(recoverDigest(digestOf(number), signature)), account)
        assert.strictEqual(yield* signer.address, account)
      })
      yield* Effect.forEach(numbers, sign, { concurrency: "unbounded" })
      kms.fail("short")
      yield* Effect.forEach(numbers, sign, { concurrency: "unbounded" })
      assert.strictEqual(yield* signer.check, account)
      assert.isAtMost(kms.requests("GetPublicKey") - asked, 1)
      assert.isAtLeast(kms.highS() - high, 10)
    }))

  it.effect("retries transient failures, within its time", () =>
    Effect.gen(function*() {
      const { kms, signer } = yield* started()
      yield* signer.check
      for (const fault of ["throttled", "internal", "dropped"] as const) {
        kms.fail(fault, 3)
        yield* signer.signDigest(digestOf(1))
      }
      kms.fail("silent", 1)
      yield* signer.signDigest(digestOf(1))
    }))

  it.effect("reports why it cannot sign, and signs again as soon as it can, without a restart; readiness too", () =>
    Effect.gen(function*() {
      const { account, kms, signer } = yield* started()
      const hurried = (yield* started({ deadlineMs: 300 })).signer
      const expected = [
        [hurried, "throttled", "unreachable"],
        [hurried, "silent", "unreachable"],
        [signer, "denied", "refused"],
        [signer, "disabled", "refused"],
        [signer, "another-key", "foreign-signature"],
        [signer, "garbage", "foreign-signature"]
      ] as const
      for (const [asked, fault, meaning] of expected) {
        // However slow the machine is.
        yield* Effect.retry(asked.check, { times: 50 })
        kms.fail(fault)
        assert.strictEqual(yield* faultOf(asked.signDigest(digestOf(2))), meaning, fault)
        assert.strictEqual(yield* faultOf(asked.check), meaning, fault)
        kms.fail(undefined)
        assert.strictEqual(yield* Effect.retry(asked.check, { times: 50 }), account, fault)
      }
      const before = kms.requests()
      yield* signer.check
      assert.strictEqual(kms.requests(), before, "a signature that was just made is proof enough")
    }))

  it.effect("never signs with an unsuitable key, and needs no restart once the key is right", () =>
    Effect.gen(function*() {
      for (const fault of ["wrong-curve", "encryption-key", "no-point", "garbage"] as const) {
        const { account, kms, signer } = yield* started()
        kms.fail(fault)
        // The probe at start may have run before the fault.
        const found = yield* faultOf(signer.address)
        if (found !== "none") assert.strictEqual(found, "unsuitable-key", fault)
        kms.fail(undefined)
        assert.strictEqual(yield* signer.address, account)
      }
    }))

  it.effect("says what to check for a wrong id, region or secret, or an absent service, and repeats no wrong value", () =>
    Effect.gen(function*() {
      const { kms } = yield* started()
      const free = yield* Effect.callback<number>((resume) => {
        const server = createServer().listen(0, "127.0.0.1", () => {
          const address = server.address()
          server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
        })
      })
      const wrong: Readonly<Record<string, readonly [fault: string, changes: Partial<CloudKmsKey>]>> = {
        id: ["refused", { keyId: "alias/s3cret-another" }],
        region: ["refused", { region: "us-east-1" }],
        secret: ["refused", {
          credentials: { accessKeyId: kms.account.accessKeyId, secretAccessKey: Redacted.make("s3cret") }
        }],
        account: ["refused", { credentials: { accessKeyId: "AKIDS3CRET", secretAccessKey: Redacted.make("s3cret") } }],
        port: ["unreachable", { endpoint: `http://127.0.0.1:${free}`, deadlineMs: 300 }]
      }
      for (const [name, [fault, changes]] of Object.entries(wrong)) {
        const { signer } = yield* started(changes)
        const failure = yield* Effect.flip(signer.signDigest(digestOf(3)))
        assert.strictEqual(failure.fault, fault, name)
        assert.notMatch(`${failure.message}${JSON.stringify(failure)}`, /s3cret|secret-name|mrk-|127\.0\.0\.1/i, name)
      }
    }))
})
