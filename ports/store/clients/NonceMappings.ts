/**
 * Nonce mappings of exchange A's wallets (EXCHANGEA-4, EXCHANGEA-5). They are kept permanently, because the order that
 * a transfer is for must not change.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Which order a wallet's nonce is for. The first mapping of a nonce stays. */
export class NonceMappings extends Context.Service<NonceMappings, {
  /**
   * Returns the first mapping stored for its chain, wallet and nonce: this one, or an earlier one. Durable once it
   * returns.
   */
  readonly keep: (mapping: KeptNonceMapping) => Effect.Effect<KeptNonceMapping, StoreUnavailable>
  readonly find: (
    chain: ChainSlug,
    wallet: Address,
    nonce: bigint
  ) => Effect.Effect<KeptNonceMapping | undefined, StoreUnavailable>
}>()("causeway/ports/NonceMappings") {}
