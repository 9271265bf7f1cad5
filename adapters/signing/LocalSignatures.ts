/** Signs and recovers with libsecp256k1 where it runs, otherwise with noble. There is no third library. */
import { Effect, Layer } from "effect"
import { Signatures } from "../../ports/signing/Signatures.ts"
import type { Curve } from "../../src/domain/encoding/Curve.ts"
import { nobleCurve } from "../../src/domain/encoding/NobleCurve.ts"
import { signaturesOn } from "../../src/domain/encoding/Signature.ts"
import { nativeCurve } from "./secp256k1/NativeCurve.ts"

/** Uses the native curve, or noble's when there is none. */
export const makeSignatures = (native: Curve | undefined): Signatures["Service"] =>
  native === undefined
    ? { ...signaturesOn(nobleCurve), engine: "noble" }
    : { ...signaturesOn(native), engine: "libsecp256k1" }

/** Logs at start which library is used. */
export const layer = Layer.effect(
  Signatures,
  Effect.gen(function*() {
    const signatures = makeSignatures(yield* Effect.promise(() => nativeCurve()))
    yield* signatures.engine === "noble"
      ? Effect.logWarning(
        "signatures are computed by noble, ten times slower, because there is no libsecp256k1 build for this platform"
      )
      : Effect.logInfo("signatures are computed by libsecp256k1")
    return signatures
  })
)
