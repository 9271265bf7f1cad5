/**
 * One key of AWS KMS, through AWS's own client: its public key, and signatures of digests. No retries, no cache.
 *
 * The client is loaded when the first KMS key is opened, so that signers with local keys do not wait for it. SECURITY:
 * AWS's messages name accounts, keys and hosts. Only the kind of a failure leaves this file.
 */
import { Effect, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import type { SignerFault } from "../../../ports/signing/SignerUnavailable.ts"

/** The key, its region, and the credentials. */
export interface CloudKmsKey {
  /** Id, ARN or alias. */
  readonly keyId: string
  readonly region: string
  /** Another service with the same interface. Default: AWS's own. */
  readonly endpoint?: string
  /** Default: AWS's default chain (environment, profile, web identity, container, instance). */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted
    readonly sessionToken?: Redacted.Redacted
  }
  /**
   * Deadline of one signature in milliseconds, including the account when it is not known yet. Default 4,000, as for an
   * endpoint of a chain.
   */
  readonly deadlineMs?: number
}

/** A KMS's description of a key. */
export interface PublicKeyAnswer {
  readonly KeySpec?: string | undefined
  readonly KeyUsage?: string | undefined
  /** DER. */
  readonly PublicKey?: Uint8Array | undefined
  readonly SigningAlgorithms?: ReadonlyArray<string> | undefined
}

/** An opened key. The types are ours, so that users of this package without KMS need none of AWS's types. */
export interface KmsKey {
  readonly publicKey: Effect.Effect<PublicKeyAnswer, SignerFault>
  /** DER, of 32 bytes. Undefined when the answer holds no signature. */
  readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array | undefined, SignerFault>
}

/** Deadline of one request, so that a request that hangs leaves time for another within the signature's deadline. */
const REQUEST_MS = 1_500

const loadClient = () => import("@aws-sdk/client-kms")

const Failure = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  $metadata: Schema.optionalKey(Schema.Struct({ httpStatusCode: Schema.optionalKey(Schema.Number) }))
})
const decodeFailure = Schema.decodeUnknownOption(Failure)

/** AWS's names for transient errors, besides the server's (5xx). */
const passing =
  /Throttl|TooManyRequests|LimitExceeded|SlowDown|RequestTimeout|Timeout|ServiceUnavailable|Internal|DependencyTimeout|KeyUnavailable/

/**
 * A client error (4xx) other than throttling is a refusal. Everything else is the network, credentials that cannot be
 * loaded included: the chain that renews them fails in the same way when its service is down for a second.
 */
export const faultOf = (cause: unknown): SignerFault => {
  const decoded = decodeFailure(cause)
  if (decoded._tag === "None") return "unreachable"
  const { $metadata, name = "" } = decoded.value
  const status = $metadata?.httpStatusCode
  if (passing.test(name) || (status !== undefined && (status >= 500 || status === 429))) return "unreachable"
  return status === undefined ? "unreachable" : "refused"
}

/** Opens the key for the scope's life. Makes no request yet. */
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
