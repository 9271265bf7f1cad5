/**
 * What the settlement encodings need to know of a chain: its slug, which is hashed, and how its
 * addresses are spelled. Every configured chain is one.
 */
import { type AddressCodec, addressCodec, type BitcoinNetwork } from "../chain/Address.ts"
import type { ChainSlug } from "../chain/ChainId.ts"
import type { VmFamily } from "../chain/VmFamily.ts"

export interface ChainRef {
  readonly slug: ChainSlug
  readonly family: VmFamily
  readonly network: BitcoinNetwork
}

/** The address codec of a chain. */
export const codecOf = (chain: ChainRef): AddressCodec => addressCodec(chain.family, chain.network)
