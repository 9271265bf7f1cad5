/** The port `AttestationSigner` with a key that this process holds. */
import { Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { AttestationSigner } from "../../ports/signing/AttestationSigner.ts"
import { hexFromBytes } from "../../src/domain/encoding/Hex.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { localSecp256k1 } from "./LocalSigner.ts"

/** `key` is a private key that was checked where the configuration was decoded. Any other value is a defect. */
export const layer = (key: Redacted.Redacted<Hex32>) =>
  Layer.effect(
    AttestationSigner,
    Effect.map(localSecp256k1(key), ({ account, sign }) =>
      AttestationSigner.of({
        address: Effect.succeed(account),
        check: Effect.succeed(account),
        signDigest: (digest) => Effect.map(sign(digest), hexFromBytes)
      }))
  )
