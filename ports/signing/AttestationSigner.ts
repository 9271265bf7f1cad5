/** The oracle's one signer (SIGNER-1): digests that are signed as they are, 65 bytes r‖s‖v with low s. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Hex } from "../../src/domain/encoding/Hex.ts"

/** What keeps a key from signing: only the first passes by itself. */
export const SignerFault = Schema.Literals(["unreachable", "refused", "unsuitable-key", "foreign-signature"])
export type SignerFault = typeof SignerFault.Type

/** What an operator is to do; nothing of it names a key. */
const meanings: { readonly [F in SignerFault]: string } = {
  unreachable: "the signer does not answer now; try again",
  refused:
    "the service that holds the signer's key refuses: check the key's id and region, the credentials, and that they may read and use the key",
  "unsuitable-key": "the signer's key is no secp256k1 key for signatures",
  "foreign-signature": "what was signed is not the signer's: the service that holds the key signs with another one"
}

/** The key could not be used; trying again is safe, and helps where the fault is `unreachable`. */
export class SignerUnavailable
  extends Schema.TaggedError<SignerUnavailable>()("SignerUnavailable", { fault: SignerFault })
{
  override get message(): string {
    return meanings[this.fault]
  }
}

export class AttestationSigner extends Context.Service<AttestationSigner, {
  /** An EVM account. Known at once, or as soon as whoever holds the key has told it. */
  readonly address: Effect.Effect<Address, SignerUnavailable>
  /** Of 32 bytes. */
  readonly signDigest: (digest: Uint8Array) => Effect.Effect<Hex, SignerUnavailable>
  /** The account, if a digest can be signed now. For readiness: may sign one that means nothing. */
  readonly check: Effect.Effect<Address, SignerUnavailable>
}>()("causeway/ports/AttestationSigner") {}
