/**
 * What the settlement encodings need to know of a chain: its slug, which is hashed, and how its
 * addresses are spelled. Every configured chain is one.
 */
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import type { AddressCodec } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { FamilyRules } from "../families/FamilyRules.ts"

export interface ChainRef {
  readonly slug: ChainSlug
  readonly family: FamilyRules
  readonly network: ChainNetwork
}

/** The address codec of a chain. */
export const codecOf = (chain: ChainRef): AddressCodec => chain.family.addresses(chain.network)
