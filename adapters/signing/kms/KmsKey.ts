/**
 * One key of AWS KMS, by AWS's own client: its public key, and signatures of digests. Retries nothing and keeps
 * nothing.
 *
 * The client is loaded when the first KMS key is opened: whoever signs with a key of his own does not wait for it.
 * SECURITY: AWS's messages name accounts, keys and hosts; of a failure only its kind leaves this file.
 */
import { Effect, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import type { SignerFault } from "../../../ports/signing/SignerUnavailable.ts"

/** Which key, where, and on whose behalf. */
export interface CloudKmsKey {
  /** Id, ARN or alias. */
  readonly keyId: string
  readonly region: string
  /** Another service of the same interface; AWS's own unless named. */
  readonly endpoint?: string
  /** AWS's default chain (environment, profile, web identity, container, instance) unless named. */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted
    readonly sessionToken?: Redacted.Redacted
  }
  /**
   * For a signature, the account included where it is not known yet; 4,000 unless named, as long as an endpoint of a
   * chain has.
   */
  readonly deadlineMs?: number
}

/** What a KMS says of a key. */
export interface PublicKeyAnswer {
  readonly KeySpec?: string | undefined
  readonly KeyUsage?: string | undefined
  /** DER. */
  readonly PublicKey?: Uint8Array | undefined
  readonly SigningAlgorithms?: ReadonlyArray<string> | undefined
}

/** An opened key. Its types are ours: whoever takes this package without KMS has none of AWS's. */
export interface KmsKey {
  readonly publicKey: Effect.Effect<PublicKeyAnswer, SignerFault>
  /** DER, of 32 bytes; undefined when the answer holds none. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array | undefined, SignerFault>
}

/** Of one request, so that one that hangs leaves time for another within the deadline of a signature. */
const REQUEST_MS = 1_500

const loadClient = () => import("@aws-sdk/client-kms")

const Failure = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  $metadata: Schema.optionalKey(Schema.Struct({ httpStatusCode: Schema.optionalKey(Schema.Number) }))
})
const decodeFailure = Schema.decodeUnknownOption(Failure)

/** What AWS calls errors that pass, beside the server's (5xx). */
const passing =
  /Throttl|TooManyRequests|LimitExceeded|SlowDown|RequestTimeout|Timeout|ServiceUnavailable|Internal|DependencyTimeout|KeyUnavailable/

/**
 * A status of the client's (4xx) that is no throttling is a refusal; all else is the network. Credentials that cannot
 * be had too: the chain that renews them says the same when the service that gives them does not answer for a second.
 */
export const faultOf = (cause: unknown): SignerFault => {
  const decoded = decodeFailure(cause)
  if (decoded._tag === "None") return "unreachable"
  const { $metadata, name = "" } = decoded.value
  const status = $metadata?.httpStatusCode
  if (passing.test(name) || (status !== undefined && (status >= 500 || status === 429))) return "unreachable"
  return status === undefined ? "unreachable" : "refused"
}

/** Opens the key for as long as the scope lives; reaches nothing yet. */
export const openKmsKey = Effect.fnUntraced(
  function*({ credentials, endpoint, keyId, region }: CloudKmsKey): Effect.fn.Return<KmsKey, never, Scope.Scope> {
    const { GetPublicKeyCommand, KMSClient, SignCommand } = yield* Effect.promise(loadClient)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new KMSClient({
          region,
          maxAttempts: 1,
          requestHandler: { connectionTimeout: REQUEST_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
          ...(endpoint === undefined ? {} : { endpoint }),
          ...(credentials === undefined ? {} : {
            credentials: {
              accessKeyId: credentials.accessKeyId,
              secretAccessKey: Redacted.value(credentials.secretAccessKey),
              ...(credentials.sessionToken === undefined
                ? {}
                : { sessionToken: Redacted.value(credentials.sessionToken) })
            }
          })
        })
      ),
      (client) => Effect.sync(() => client.destroy())
    )
    return {
      publicKey: Effect.tryPromise({
        try: (abortSignal) => client.send(new GetPublicKeyCommand({ KeyId: keyId }), { abortSignal }),
        catch: faultOf
      }),
      sign: (digest) =>
        Effect.map(
          Effect.tryPromise({
            try: (abortSignal) =>
              client.send(
                new SignCommand({
                  KeyId: keyId,
                  Message: digest,
                  MessageType: "DIGEST",
                  SigningAlgorithm: "ECDSA_SHA_256"
                }),
                { abortSignal }
              ),
            catch: faultOf
          }),
          ({ Signature }) => Signature
        )
    }
  }
)
