/**
 * The six families by name. This is the core's only list. A service uses the rules in its chain's configuration and
 * does not look here.
 */
import type { AddressCodec } from "./AddressCodec.ts"
import type { VmFamily } from "../chain/VmFamily.ts"
import { bitcoin } from "./bitcoin/Rules.ts"
import type { ChainNetwork } from "../chain/ChainNetwork.ts"
import { ethereum } from "./ethereum/Rules.ts"
import { exchangeA } from "./exchange-a/Rules.ts"
import { exchangeB } from "./exchange-b/Rules.ts"
import type { FamilyRules } from "./FamilyRules.ts"
import { solana } from "./solana/Rules.ts"
import { tron } from "./tron/Rules.ts"

/** The rules of each family. */
export const families: { readonly [F in VmFamily]: FamilyRules } = {
  "ethereum-vm": ethereum,
  "solana-vm": solana,
  "bitcoin-vm": bitcoin,
  "exchangea-vm": exchangeA,
  "exchangeb-vm": exchangeB,
  "tron-vm": tron
}

/** The address codec of a family by its name. `network` matters only for Bitcoin; the default is mainnet. */
export const addressCodec = (family: VmFamily, network: ChainNetwork = "mainnet"): AddressCodec =>
  families[family].addresses(network)
