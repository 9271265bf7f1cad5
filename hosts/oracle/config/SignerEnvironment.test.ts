import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Result } from "effect"
import { readSigner } from "./SignerEnvironment.ts"

const KEY = `0x${"2a".repeat(32)}`
const kms = {
  SIGNING_MODULE: "cloud-kms",
  CLOUD_KMS_SIGNER_KEY_ID: "alias/oracle",
  CLOUD_KMS_SIGNER_KEY_REGION: "eu-central-1"
}

const read = (environment: Readonly<Record<string, string>>) =>
  Effect.result(
    Effect.provideService(readSigner, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(environment))
  )
const signerOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(
    read(environment),
    (signer): string => Result.isSuccess(signer) ? signer.success._tag : signer.failure.message
  )

describe("the signer of an environment", () => {
  it.effect("is a key, or the name of one in a KMS, wherever the KMS's credentials come from", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* signerOf({ ECDSA_PRIVATE_KEY: KEY }), "RawPrivateKey")
      // A cloud sets this variable for every process, so it does not choose a signer.
      assert.strictEqual(yield* signerOf({ ECDSA_PRIVATE_KEY: KEY, AWS_ACCESS_KEY_ID: "AKID" }), "RawPrivateKey")
      assert.strictEqual(yield* signerOf(kms), "CloudKms")
      assert.strictEqual(
        yield* signerOf({ ...kms, AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "x", AWS_SESSION_TOKEN: "y" }),
        "CloudKms"
      )
      for (const url of ["https://kms.example", "http://127.0.0.1:1", "http://localhost:1"]) {
        assert.strictEqual(yield* signerOf({ ...kms, AWS_ENDPOINT_URL_KMS: url }), "CloudKms")
      }
      assert.strictEqual(
        yield* signerOf({ ...kms, CLOUD_KMS_SIGNER_KEY_ID: "arn:aws:kms:eu-central-1:111122223333:key/mrk-1" }),
        "CloudKms"
      )
    }))

  it.effect("is exactly one: variables of the other kind, and incomplete ones, are refused by name without their values", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<
        readonly [environment: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>]
      > = [
        [{}, "ECDSA_PRIVATE_KEY is not set"],
        [{ SIGNING_MODULE: "s3cret" }, "SIGNING_MODULE"],
        [{ ECDSA_PRIVATE_KEY: `0x${"00".repeat(32)}` }, "ECDSA_PRIVATE_KEY is not valid"],
        [
          { ECDSA_PRIVATE_KEY: "s3cret", CLOUD_KMS_SIGNER_KEY_ID: "s3cret", CLOUD_KMS_SIGNER_KEY_REGION: "s3 cret" },
          "ECDSA_PRIVATE_KEY",
          "CLOUD_KMS_SIGNER_KEY_ID is set",
          "CLOUD_KMS_SIGNER_KEY_REGION is set"
        ],
        [
          { SIGNING_MODULE: "cloud-kms" },
          "CLOUD_KMS_SIGNER_KEY_ID is not set",
          "CLOUD_KMS_SIGNER_KEY_REGION is not set"
        ],
        [
          { ...kms, ECDSA_PRIVATE_KEY: "s3cret", CLOUD_KMS_SIGNER_KEY_REGION: "s3cret" },
          "ECDSA_PRIVATE_KEY is set",
          "CLOUD_KMS_SIGNER_KEY_REGION is not valid"
        ],
        [{ ...kms, ECDSA_PRIVATE_KEY: KEY }, "ECDSA_PRIVATE_KEY is set, but SIGNING_MODULE is cloud-kms"],
        [{ ...kms, CLOUD_KMS_SIGNER_KEY_ID: "arn:aws:kms:us-east-1:111122223333:key/s3cret" }, "is in another region"],
        [{ ...kms, CLOUD_KMS_SIGNER_KEY_ID: "s3cret key" }, "CLOUD_KMS_SIGNER_KEY_ID is not valid"],
        [{ ...kms, AWS_ACCESS_KEY_ID: "s3cret" }, "belong together"],
        [{ ...kms, AWS_SECRET_ACCESS_KEY: "s3cret" }, "belong together"],
        ...["http://s3cret.example", "ftp://s3cret", "s3cret", "http://127.0.0.1.s3cret.example"].map((url) =>
          [{ ...kms, AWS_ENDPOINT_URL_KMS: url }, "AWS_ENDPOINT_URL_KMS is not valid"] as const
        )
      ]
      for (const [environment, ...words] of wrong) {
        const said = yield* signerOf(environment)
        for (const word of words) assert.include(said, word)
        assert.notInclude(said, "s3")
      }
    }))
})
