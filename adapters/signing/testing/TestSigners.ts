/** Local signers for tests, as values: noble signs the same bytes as libsecp256k1. */
import { Effect, Redacted } from "effect"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { makeSignatures } from "../LocalSignatures.ts"
import { localSecp256k1 } from "../LocalSigner.ts"

/** `key`: 0x and 64 hex digits. */
export const secp256k1Signer = (key: `0x${string}`) =>
  Effect.runSync(
    Effect.provideService(localSecp256k1(Redacted.make(Hex32.make(key))), Signatures, makeSignatures(undefined))
  )
