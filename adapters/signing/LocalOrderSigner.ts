/** Signs order ids with a key that this process holds. */
import { Effect, Layer, Redacted } from "effect"
import { OrderSigner } from "../../ports/OrderSigner.ts"
import { accountOfKey } from "../../src/domain/chain/Signature.ts"
import type { Hex32 } from "../../src/domain/chain/Hex.ts"
import { signOrder } from "../../src/domain/order/OrderSignature.ts"

/** `key` is a private key that was checked where the configuration was decoded; another one is a defect. */
export const layer = (key: Redacted.Redacted<Hex32>) =>
  Layer.effect(
    OrderSigner,
    Effect.gen(function*() {
      const solver = yield* Effect.orDie(Effect.fromResult(accountOfKey(Redacted.value(key))))
      return OrderSigner.of({
        solver,
        sign: (orderId) => Effect.orDie(Effect.fromResult(signOrder(orderId, Redacted.value(key))))
      })
    })
  )
