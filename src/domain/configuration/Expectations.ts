import type { Chain } from "../chain/Chain.ts"
import type { Expectation, Purpose } from "./Expectation.ts"

/** The expectations of a chain's configuration entry, for a service's purpose. Pure. */
export const expectationsOf = (chain: Chain, purpose: Purpose): ReadonlyArray<Expectation> =>
  chain.family.expectations(chain, purpose)
