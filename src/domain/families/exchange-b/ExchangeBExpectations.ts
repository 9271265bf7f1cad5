/**
 * What the configuration entry of exchange B says: decimals, and for a service that pays that its account keeps separate
 * balances (EXCHANGEB-28). Evidence is the same in every mode, and so is what a depository pays.
 */
import type { ConfiguredChain } from "../../chain/ConfiguredChain.ts"
import type { Expectation, Purpose } from "../../configuration/Expectation.ts"
import { exchangeExpectations } from "../ExchangeExpectations.ts"
import { CLASSIC } from "./payment/TradingMode.ts"

export const exchangeBExpectations = (chain: ConfiguredChain, purpose: Purpose): ReadonlyArray<Expectation> => {
  const solver = purpose._tag === "Trade" ? purpose.accounts.solver : undefined
  return solver === undefined ? exchangeExpectations(chain) : [...exchangeExpectations(chain), {
    entry: "solver mode",
    ask: { _tag: "AccountMode", of: solver },
    configured: CLASSIC,
    covers: { _tag: "Chain", chainId: chain.id },
    weight: "refuses"
  }]
}
