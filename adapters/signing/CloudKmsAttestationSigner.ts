/**
 * Signs attestations with a key that never leaves AWS KMS (SIGNER-2). The account is read from KMS once. The process
 * starts even when KMS does not answer; log and readiness show the fault until it does.
 *
 * Transient faults are retried within a signature's deadline. SECURITY: only a signature that recovers to the account
 * is returned, whatever KMS answers.
 */
import { Clock, Effect, Layer, Metric, Result, Schedule, Semaphore } from "effect"
import { AttestationSigner } from "../../ports/signing/AttestationSigner.ts"
import { SignerFault, SignerUnavailable } from "../../ports/signing/SignerUnavailable.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import { hexToBytes } from "../../src/domain/encoding/Hex.ts"
import { accountOfPublicKey, textDigest } from "../../src/domain/encoding/Signature.ts"
import { publicKeyFromDer } from "./kms/Der.ts"
import { openKmsKey } from "./kms/KmsKey.ts"
import type { CloudKmsKey, PublicKeyAnswer } from "./kms/KmsKey.ts"
import { recoverableSignature } from "./kms/RecoverableSignature.ts"

const DEADLINE_MS = 4_000
/** AWS's own client waits half a second or more before a retry. A request does not have that time. */
const again = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(Schedule.jittered)

/** For this long, a successful signature shows that the key works. */
const FRESH_MS = 60_000
/** Has no other meaning: no transaction, no message of the protocol. */
const PROBE = hexToBytes(textDigest("causeway: this key can sign"))

const faults = Metric.counter("signer_faults_total", {
  description: "signatures and reads of the account that the service which holds the key failed to give, by fault",
  incremental: true
})

const count = (fault: SignerFault) => Metric.update(Metric.withAttributes(faults, { fault }), 1)

/** Starts at 0, so that the first fault shows as an increase. */
const countFromZero = Effect.forEach(
  SignerFault.literals,
  (fault) => Metric.update(Metric.withAttributes(faults, { fault }), 0),
  { discard: true }
)

const persistently =
  (deadline: number) => <A>(call: Effect.Effect<A, SignerFault>): Effect.Effect<A, SignerUnavailable> =>
    call.pipe(
      Effect.tapError(count),
      Effect.retry({ schedule: again, while: (fault) => fault === "unreachable" }),
      Effect.timeoutOrElse({
        duration: deadline,
        orElse: () => Effect.andThen(count("unreachable"), Effect.fail<SignerFault>("unreachable"))
      }),
      Effect.mapError((fault) => new SignerUnavailable({ fault }))
    )

/** The account of a key that can sign for the protocol. */
const accountOf = (
  { KeySpec, KeyUsage, PublicKey, SigningAlgorithms = [] }: PublicKeyAnswer
): Result.Result<Address, SignerFault> => {
  const suits = KeySpec === "ECC_SECG_P256K1" && KeyUsage === "SIGN_VERIFY" &&
    SigningAlgorithms.includes("ECDSA_SHA_256")
  if (!suits || PublicKey === undefined) return Result.fail("unsuitable-key")
  return Result.mapError(
    Result.flatMap(publicKeyFromDer(PublicKey), accountOfPublicKey),
    (): SignerFault => "unsuitable-key"
  )
}

/** Logs at start which account signs, or why signing is not possible. */
export const layer = (key: CloudKmsKey) =>
  Layer.effect(
    AttestationSigner,
    Effect.gen(function*() {
      const { recoverDigest } = yield* Signatures
      const kms = yield* openKmsKey(key)
      yield* countFromZero
      const one = yield* Semaphore.make(1)
      let account: Address | undefined
      let signedAt = Number.NEGATIVE_INFINITY

      /**
       * One request at a time, however many callers wait. The account is kept once it is known: a key has one public
       * key.
       */
      const ask = one.withPermits(1)(Effect.suspend(() =>
        account !== undefined ? Effect.succeed(account) : kms.publicKey.pipe(
          Effect.flatMap((answer) => Effect.fromResult(accountOf(answer))),
          Effect.tap((asked) =>
            Effect.sync(() => {
              account = asked
            })
          )
        )
      ))
      const known = Effect.suspend(() =>
        account === undefined ? ask : Effect.succeed(account)
      )

      const sign = Effect.fnUntraced(function*(digest: Uint8Array) {
        const signer = yield* known
        const der = yield* kms.sign(digest)
        const signature = der === undefined ? undefined : recoverableSignature(recoverDigest, der, digest, signer)
        if (signature === undefined) return yield* Effect.fail<SignerFault>("foreign-signature")
        signedAt = yield* Clock.currentTimeMillis
        return signature
      })

      const inTime = persistently(key.deadlineMs ?? DEADLINE_MS)
      // A timeout is a failure too, and it interrupts `sign`, so it is handled out here.
      const signDigest = (digest: Uint8Array) =>
        Effect.tapError(inTime(sign(digest)), () =>
          Effect.sync(() => {
            signedAt = Number.NEGATIVE_INFINITY
          }))
      const address = inTime(known)
      const check = Effect.gen(function*() {
        const fresh = (yield* Clock.currentTimeMillis) - signedAt < FRESH_MS
        if (!fresh) yield* signDigest(PROBE)
        return yield* address
      })
      yield* Effect.forkScoped(Effect.matchEffect(check, {
        onFailure: ({ message }) => Effect.logError(`attestations cannot be signed: ${message}`),
        onSuccess: (signer) => Effect.logInfo(`attestations are signed by KMS as ${signer}`)
      }))
      return AttestationSigner.of({ address, signDigest, check })
    })
  )
