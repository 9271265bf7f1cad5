/**
 * The oracle's signer, from its environment (SIGNER-1, SIGNER-2): exactly one, given by the key itself or by the id of
 * a key in AWS KMS. Variables of the other kind must not be set, so that an operator cannot believe them to be in
 * force.
 */
import { Effect, Redacted, Result, Schema } from "effect"
import type { CloudKmsKey } from "../../../adapters/signing/kms/KmsKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { Hex32FromString } from "../../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../../src/domain/encoding/Signature.ts"
import { isPrivate } from "../../../adapters/endpoints/PrivateUrl.ts"
import { Problem, read, readOptional } from "../../configuration/Variables.ts"
import type { Variable } from "../../configuration/Variables.ts"

const variable = <A>(declared: Variable<A>): Variable<A> => declared

/** A request carries no secret, but over plain HTTP an attacker on the network could answer with a key of their own. */
const isPrivateText = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && isPrivate(url)
}

export const signerVariables = {
  signingModule: variable({
    name: "SIGNING_MODULE",
    meaning: "raw-private-key, or cloud-kms for a key in AWS KMS",
    schema: Schema.Literals(["raw-private-key", "cloud-kms"]),
    fallback: "raw-private-key"
  }),
  key: variable({
    name: "ECDSA_PRIVATE_KEY",
    meaning: "with raw-private-key: the key of this oracle alone: 0x and 64 hex digits",
    schema: Schema.RedactedFromValue(
      Hex32FromString.check(Schema.makeFilter((key) => Result.isSuccess(accountOfKey(key)))),
      { label: "oracle-key", disallowEncode: true }
    )
  }),
  kmsKeyId: variable({
    name: "CLOUD_KMS_SIGNER_KEY_ID",
    meaning:
      "with cloud-kms: id, ARN or alias of this oracle's key in AWS KMS, of the kind ECC_SECG_P256K1 for signing",
    schema: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9:/_-]{1,2048}$/))
  }),
  kmsKeyRegion: variable({
    name: "CLOUD_KMS_SIGNER_KEY_REGION",
    meaning: "with cloud-kms: the region of that key, such as eu-central-1",
    schema: Schema.String.check(Schema.isPattern(/^[a-z]{2,}(?:-[a-z]+)+-\d+$/))
  }),
  kmsEndpoint: variable({
    name: "AWS_ENDPOINT_URL_KMS",
    meaning: "another service of the interface of AWS KMS, https, or http on the loopback; AWS's own when unset",
    schema: Schema.String.check(Schema.makeFilter((text) => isPrivateText(text) ? undefined : "not https"))
  }),
  accessKeyId: variable({
    name: "AWS_ACCESS_KEY_ID",
    meaning:
      "with cloud-kms: together with AWS_SECRET_ACCESS_KEY, the credentials that use the key; without them AWS's default chain gives them (profile, web identity, container, instance)",
    schema: Schema.String.check(Schema.isPattern(/^\w{1,128}$/))
  }),
  secretAccessKey: variable({
    name: "AWS_SECRET_ACCESS_KEY",
    meaning: "belongs to AWS_ACCESS_KEY_ID",
    schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "aws-secret", disallowEncode: true })
  }),
  sessionToken: variable({
    name: "AWS_SESSION_TOKEN",
    meaning: "belongs to credentials that expire; they are read once, at start",
    schema: Schema.RedactedFromValue(Schema.NonEmptyString, { label: "aws-token", disallowEncode: true })
  })
} as const

/** The one signer of an instance. */
export type Signer =
  | { readonly _tag: "RawPrivateKey"; readonly key: Redacted.Redacted<Hex32> }
  | { readonly _tag: "CloudKms"; readonly key: CloudKmsKey }

/** The signer's account; undefined when only the remote key holder can report it. */
export const accountOf = (signer: Signer): Address | undefined =>
  signer._tag === "RawPrivateKey" ? Result.getOrUndefined(accountOfKey(Redacted.value(signer.key))) : undefined

const named = ({ name }: { readonly name: string }) => name

/** Fails with one problem, with a line for each thing that is wrong. */
const refuse = (problems: ReadonlyArray<string>) => Effect.fail(new Problem({ message: problems.join("\n  - ") }))
const messagesOf = (results: ReadonlyArray<Result.Result<unknown, Problem>>): ReadonlyArray<string> =>
  results.flatMap((result) => Result.isFailure(result) ? [result.failure.message] : [])

const readRaw = Effect.gen(function*() {
  const v = signerVariables
  const key = yield* Effect.result(read(v.key))
  const foreign = yield* Effect.filter(
    [v.kmsKeyId, v.kmsKeyRegion],
    (each) =>
      Effect.map(Effect.result(readOptional(each)), (value) => Result.isFailure(value) || value.success !== undefined)
  )
  const problems = [
    ...messagesOf([key]),
    ...foreign.map((each) => `${named(each)} is set, but SIGNING_MODULE is raw-private-key`)
  ]
  return Result.isFailure(key) || problems.length > 0
    ? yield* refuse(problems)
    : { _tag: "RawPrivateKey" as const, key: key.success }
})

/** An ARN contains its region: `arn:aws:kms:eu-central-1:…`. */
const regionOf = (keyId: string): string | undefined => keyId.startsWith("arn:") ? keyId.split(":")[3] : undefined

const readKms = Effect.gen(function*() {
  const v = signerVariables
  const values = yield* Effect.all({
    keyId: read(v.kmsKeyId),
    region: read(v.kmsKeyRegion),
    endpoint: readOptional(v.kmsEndpoint),
    accessKeyId: readOptional(v.accessKeyId),
    secretAccessKey: readOptional(v.secretAccessKey),
    sessionToken: readOptional(v.sessionToken)
  }, { mode: "result" })
  const raw = yield* Effect.result(readOptional(v.key))
  const all = Result.all(values)
  const lone = Result.isSuccess(all) &&
    (all.success.accessKeyId === undefined) !== (all.success.secretAccessKey === undefined)
  const elsewhere = Result.isSuccess(all) && ![undefined, all.success.region].includes(regionOf(all.success.keyId))
  const problems = [
    ...messagesOf(Object.values(values)),
    ...(Result.isFailure(raw) || raw.success !== undefined
      ? [`${named(v.key)} is set, but SIGNING_MODULE is cloud-kms: an oracle has one signer`]
      : []),
    ...(lone
      ? [`${named(v.accessKeyId)} and ${named(v.secretAccessKey)} belong together: one of them is not set`]
      : []),
    ...(elsewhere ? [`${named(v.kmsKeyId)} is in another region than ${named(v.kmsKeyRegion)}`] : [])
  ]
  if (Result.isFailure(all) || problems.length > 0) return yield* refuse(problems)
  const { accessKeyId, endpoint, keyId, region, secretAccessKey, sessionToken } = all.success
  const key: CloudKmsKey = {
    keyId,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(accessKeyId === undefined || secretAccessKey === undefined ? {} : {
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
    })
  }
  return { _tag: "CloudKms" as const, key }
})

/** Reads the signer. Fails with one problem that lists everything that is wrong. */
export const readSigner: Effect.Effect<Signer, Problem> = Effect.flatMap(
  read(signerVariables.signingModule),
  (module): Effect.Effect<Signer, Problem> => module === "raw-private-key" ? readRaw : readKms
)
