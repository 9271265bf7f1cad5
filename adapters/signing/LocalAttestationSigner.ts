/** Signs attestations with a key that this process holds. */
import { Effect, Layer, Redacted } from "effect"
import { AttestationSigner } from "../../ports/signing/AttestationSigner.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"

/** `key` is a private key that was checked where the configuration was decoded; another one is a defect. */
export const layer = (key: Redacted.Redacted<Hex32>) =>
  Layer.effect(
    AttestationSigner,
    Effect.gen(function*() {
      const { accountOfKey, signDigest } = yield* Signatures
      const address = yield* Effect.orDie(Effect.fromResult(accountOfKey(Redacted.value(key))))
      return AttestationSigner.of({
        address: Effect.succeed(address),
        check: Effect.succeed(address),
        signDigest: (digest) => Effect.orDie(Effect.fromResult(signDigest(digest, Redacted.value(key))))
      })
    })
  )
