/**
 * Accepts nonce mappings from wallets and stores them (EXCHANGEA-4, EXCHANGEA-5). Readers verify a mapping again. It is
 * still verified before it is stored, because the first mapping for a nonce is permanent.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { ChainSlug } from "../../domain/chain/ChainId.ts"
import { isOwnMapping } from "../../domain/nonce-mapping/NonceMapping.ts"
import type { KeptNonceMapping, SignedNonceMapping } from "../../domain/nonce-mapping/NonceMapping.ts"

/** A mapping that no oracle would accept. The message says why. */
export class MappingRefused
  extends Schema.TaggedError<MappingRefused>()("MappingRefused", { message: Schema.String })
{}

export class KeepingMappings extends Context.Service<KeepingMappings, {
  /** Idempotent: the same mapping again returns the stored one. */
  readonly keep: (mapping: SignedNonceMapping) => Effect.Effect<KeptNonceMapping, MappingRefused | StoreUnavailable>
  readonly find: (
    chain: ChainSlug,
    wallet: Address,
    nonce: bigint
  ) => Effect.Effect<KeptNonceMapping | undefined, StoreUnavailable>
}>()("causeway/services/KeepingMappings") {}

const refused = (message: string) => new MappingRefused({ message })

export const layer = Layer.effect(
  KeepingMappings,
  Effect.gen(function*() {
    const mappings = yield* NonceMappings
    const keep: KeepingMappings["Service"]["keep"] = Effect.fn("KeepingMappings.keep")(function*(mapping) {
      if (mapping.wallet !== mapping.depositor) {
        return yield* refused("a mapping for another depositor: wallet and depositor must be one account")
      }
      if (!isOwnMapping(mapping)) {
        return yield* refused("the signature is not the wallet's over this mapping (EIP-712, RelayNonceMapping 2)")
      }
      const first = yield* mappings.keep({ ...mapping, createdAt: yield* Clock.currentTimeMillis })
      return first.id === mapping.id
        ? first
        : yield* refused(
          "this nonce of the wallet is mapped to another id already, for ever: send the transfer with another nonce"
        )
    })
    return KeepingMappings.of({ keep, find: mappings.find })
  })
)
