/**
 * What the configuration entry of exchange A says: decimals, and for a service that pays that its accounts keep separate
 * balances (EXCHANGEA-36). Evidence is the same in every mode, so an oracle does not ask for it.
 */
import type { Address } from "../../chain/Address.ts"
import type { ConfiguredChain } from "../../chain/ConfiguredChain.ts"
import type { Expectation, Purpose } from "../../configuration/Expectation.ts"
import { exchangeExpectations } from "../ExchangeExpectations.ts"
import { SEPARATE } from "./payment/AccountMode.ts"

const separate = ({ id }: ConfiguredChain, entry: string, of: Address): Expectation => ({
  entry,
  ask: { _tag: "AccountMode", of },
  configured: SEPARATE,
  covers: { _tag: "Chain", chainId: id },
  weight: "refuses"
})

export const exchangeAExpectations = (chain: ConfiguredChain, purpose: Purpose): ReadonlyArray<Expectation> => {
  if (purpose._tag === "Attest") return exchangeExpectations(chain)
  const { solver } = purpose.accounts
  return [
    ...exchangeExpectations(chain),
    separate(chain, "depository mode", chain.depository),
    ...(solver === undefined ? [] : [separate(chain, "solver mode", solver)])
  ]
}
