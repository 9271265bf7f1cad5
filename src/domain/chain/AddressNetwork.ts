/** The one network in which an order's addresses are spelled. A service serves chains of one network only. */
import type { FamilyRules } from "../families/FamilyRules.ts"
import type { ChainNetwork } from "./ChainNetwork.ts"

/** That of a chain whose addresses depend on it. Where there is none it makes no difference, and is mainnet. */
export const networkOfAddresses = (
  chains: ReadonlyArray<{ readonly family: Pick<FamilyRules, "hasNetworks">; readonly network: ChainNetwork }>
): ChainNetwork => chains.find(({ family }) => family.hasNetworks)?.network ?? "mainnet"
