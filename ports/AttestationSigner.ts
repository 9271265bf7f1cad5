/** The oracle's one signer (spec/2 §2.2): digests that are signed as they are, 65 bytes r‖s‖v with low s. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../src/domain/chain/Address.ts"
import type { Hex } from "../src/domain/chain/Hex.ts"

/** The key could not be used now; trying again is safe. */
export class SignerUnavailable extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", {}) {
  override get message(): string {
    return "the signer does not answer now; try again"
  }
}

export class AttestationSigner extends Context.Service<AttestationSigner, {
  /** An EVM account. */
  readonly address: Address
  /** Of 32 bytes. */
  readonly signDigest: (digest: Uint8Array) => Effect.Effect<Hex, SignerUnavailable>
}>()("causeway/ports/AttestationSigner") {}
