/** The keys that sign on Solana chains. Held here and nowhere else; printing them gives addresses. */
import { createKeyPairSignerFromBytes, createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit"
import type { KeyPairSigner } from "@solana/kit"
import { base58 } from "@scure/base"
import { Context, Effect, Layer, Redacted } from "effect"
import { hexToBytes } from "../../../src/domain/encoding/Hex.ts"
import type { Hex } from "../../../src/domain/encoding/Hex.ts"
import { deriveEd25519, keyPath } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import type { KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"

export class SolverAccount extends Context.Service<SolverAccount, {
  /** The solver's, which pays. */
  readonly signer: KeyPairSigner
  /** The keys of deposit addresses, each derived when it is needed; undefined in a process without their seed. */
  readonly depositSigner: ((place: KeyPlace) => Effect.Effect<KeyPairSigner>) | undefined
}>()("causeway/adapters/solana/SolverAccount") {}

const derived = (seed: Redacted.Redacted<Hex>) => (place: KeyPlace) =>
  Effect.promise(() =>
    createKeyPairSignerFromPrivateKeyBytes(deriveEd25519(hexToBytes(Redacted.value(seed)), keyPath("solana-vm", place)))
  )

/**
 * The key: base58 of its 64 bytes, as wallets export it; the seed: 32 to 64 bytes. Checked where the configuration is
 * decoded.
 */
export const layer = (key: Redacted.Redacted, seed?: Redacted.Redacted<Hex>) =>
  Layer.effect(
    SolverAccount,
    Effect.map(Effect.promise(() => createKeyPairSignerFromBytes(base58.decode(Redacted.value(key)))), (signer) => ({
      signer,
      depositSigner: seed === undefined ? undefined : derived(seed)
    }))
  )
