/** Signs order ids with a key that this process holds. */
import { Effect, Layer, Redacted } from "effect"
import { OrderSigner } from "../../ports/signing/OrderSigner.ts"
import { Signatures } from "../../ports/signing/Signatures.ts"
import { personalDigest } from "../../src/domain/encoding/Signature.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"

/** `key` is a private key that was checked where the configuration was decoded; another one is a defect. */
export const layer = (key: Redacted.Redacted<Hex32>) =>
  Layer.effect(
    OrderSigner,
    Effect.gen(function*() {
      const { accountOfKey, signDigest } = yield* Signatures
      const solver = yield* Effect.orDie(Effect.fromResult(accountOfKey(Redacted.value(key))))
      return OrderSigner.of({
        solver,
        sign: (orderId) => Effect.orDie(Effect.fromResult(signDigest(personalDigest(orderId), Redacted.value(key))))
      })
    })
  )
