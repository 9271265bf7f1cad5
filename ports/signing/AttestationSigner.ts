/** The oracle's one signer (SIGNER-1). Digests are signed as they are: 65 bytes r‖s‖v with low s. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../src/domain/chain/Address.ts"
import type { Hex } from "../../src/domain/encoding/Hex.ts"
import type { SignerUnavailable } from "./SignerUnavailable.ts"

/** The key that signs attestations: its account, and signatures of digests (65 bytes r‖s‖v, low s). */
export class AttestationSigner extends Context.Service<AttestationSigner, {
  /** An EVM account. Known at once for a local key, or as soon as a remote key holder has reported it. */
  readonly address: Effect.Effect<Address, SignerUnavailable>
  /** The digest has 32 bytes. */
  readonly signDigest: (digest: Uint8Array) => Effect.Effect<Hex, SignerUnavailable>
  /** The account, if a digest can be signed now. For readiness checks: may sign a digest that has no meaning. */
  readonly check: Effect.Effect<Address, SignerUnavailable>
}>()("causeway/ports/AttestationSigner") {}
