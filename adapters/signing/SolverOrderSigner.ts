/** The port `OrderSigner` from the solver's signer, wherever its key is. */
import { Effect, Layer } from "effect"
import { OrderSigner } from "../../ports/signing/OrderSigner.ts"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
import { hexFromBytes } from "../../src/domain/encoding/Hex.ts"
import { personalDigest } from "../../src/domain/encoding/Signature.ts"

export const layer = ({ account, sign }: Secp256k1Signer) =>
  Layer.succeed(OrderSigner, {
    solver: account,
    sign: (orderId) => Effect.mapEager(sign(personalDigest(orderId)), hexFromBytes)
  })
