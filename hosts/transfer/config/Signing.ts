/**
 * How the service's signers are made of its keys: in this process, unless it is given another way. SECURITY: keys end
 * here; what pays and what signs orders is given signers.
 */
import { Context, Effect } from "effect"
import type { Redacted } from "effect"
import type { ServiceSigners } from "../../../adapters/family/ChainFamily.ts"
import { localEd25519Tree, localSecp256k1, localSecp256k1Tree } from "../../../adapters/signing/LocalSigner.ts"
import type { Signatures } from "../../../ports/signing/Signatures.ts"
import type { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"

/** The keys as the environment has them. */
export interface ServiceKeys {
  readonly solver: Redacted.Redacted<Hex32>
  /** Further accounts that pay. */
  readonly further: ReadonlyArray<Redacted.Redacted<Hex32>>
  /** Accounts that paid before. */
  readonly retired: ReadonlyArray<Redacted.Redacted<Hex32>>
  readonly operator: Redacted.Redacted<Hex32> | undefined
  /** The seed of deposit addresses. */
  readonly deposits: Redacted.Redacted<Hex> | undefined
}

/** Signers that hold the keys themselves. */
export const localSigners = Effect.fnUntraced(
  function*(
    { deposits, further, operator, retired, solver }: ServiceKeys
  ): Effect.fn.Return<ServiceSigners, never, Signatures> {
    return {
      solver: yield* localSecp256k1(solver),
      further: yield* Effect.forEach(further, localSecp256k1),
      retired: yield* Effect.forEach(retired, localSecp256k1),
      operator: operator === undefined ? undefined : yield* localSecp256k1(operator),
      deposits: deposits === undefined
        ? undefined
        : { ed25519: localEd25519Tree(deposits), secp256k1: yield* localSecp256k1Tree(deposits) }
    }
  }
)

/**
 * Makes the signers: `Layer.provide(layerTransferHost, Layer.succeed(Signing, mine))` makes them another way. They must
 * have the accounts of the configured keys, with which contracts are compared at start.
 */
export const Signing = Context.Reference<typeof localSigners>("causeway/hosts/Signing", {
  defaultValue: () => localSigners
})
