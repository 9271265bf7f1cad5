import type { Chain } from "../chain/Chain.ts"
import type { Expectation, Purpose } from "./Expectation.ts"

/** What the entry of a chain says, for the service that believes it: pure, one list a chain. */
export const expectationsOf = (chain: Chain, purpose: Purpose): ReadonlyArray<Expectation> =>
  chain.family.expectations(chain, purpose)
