/**
 * What the settlement encodings need of a chain: its slug, which is hashed, and the spelling of its addresses. Every
 * configured chain is a ChainRef.
 */
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { AddressCodec } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"

/** A chain as the protocol's ids need it: slug, family and network. */
export interface ChainRef {
  readonly slug: ChainSlug
  readonly family: FamilyRules
  readonly network: ChainNetwork
}

/** The address codec of a chain. */
export const codecOf = (chain: ChainRef): AddressCodec => chain.family.addresses(chain.network)
