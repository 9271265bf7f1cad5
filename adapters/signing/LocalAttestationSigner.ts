/** The port `AttestationSigner` with a key that this process holds, in the closure that signs with it. */
import { Effect, Layer, Redacted, Result } from "effect"
import { AttestationSigner } from "../../ports/signing/AttestationSigner.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"

/** `key` is a private key that was checked where the configuration was decoded. Any other value is a defect. */
export const layer = (key: Redacted.Redacted<Hex32>) =>
  Layer.effect(
    AttestationSigner,
    Effect.gen(function*() {
      const { accountOfKey, signDigest } = yield* Signatures
      const account = yield* Effect.orDie(Effect.fromResult(accountOfKey(Redacted.value(key))))
      return AttestationSigner.of({
        address: Effect.succeed(account),
        check: Effect.succeed(account),
        // Not by way of a `Signer`, whose bytes would become hex digits again.
        signDigest: (digest) =>
          Result.match(signDigest(digest, Redacted.value(key)), { onFailure: Effect.die, onSuccess: Effect.succeed })
      })
    })
  )
