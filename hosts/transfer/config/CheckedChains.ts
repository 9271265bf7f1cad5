/**
 * What the transfer service believes of its chains and its hub only once they have confirmed it, and by which
 * endpoints.
 */
import { Layer, Redacted, Result } from "effect"
import type { CheckedEndpoints } from "../../../adapters/quorum/ReadingFacts.ts"
import { observedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../../src/domain/encoding/Signature.ts"
import type { PricingFeed } from "../../../src/domain/configuration/Expectation.ts"
import { networkOf } from "../../../src/domain/configuration/Network.ts"
import { hubContracts } from "../../../src/domain/families/ethereum/EvmExpectations.ts"
import { expectationsOf } from "../../../src/domain/configuration/Expectations.ts"
import type { CheckedEntry } from "../../../src/domain/configuration/Standing.ts"
import * as CheckedConfiguration from "../../../src/services/operations/CheckedConfiguration.ts"
import { countStuck } from "../../../src/services/operations/Meters.ts"
import { layerFacts } from "../../routing/Facts.ts"
import type { CheckedChain } from "../../routing/Facts.ts"
import { priceKey } from "../../configuration/entries/ConfiguredPrices.ts"
import type { ConfiguredHub } from "../../configuration/LoadSettlingHub.ts"
import type { Environment } from "./Environment.ts"

const feedsOf = ({ configured: { chains, prices } }: Environment): ReadonlyArray<PricingFeed> =>
  chains.flatMap(({ currencies, swaps }) => [...currencies, ...swaps?.currencies ?? []]).flatMap((currency) => {
    const feed = prices.feeds.get(priceKey(currency))
    return feed === undefined ? [] : [{ chainId: feed.chain.id, feed: feed.address, currency }]
  })

const accountOf = (key: Redacted.Redacted<Hex32> | undefined): Address | undefined => {
  const account = key === undefined ? undefined : accountOfKey(Redacted.value(key))
  return account !== undefined && Result.isSuccess(account) ? account.success : undefined
}

const hubEntry = ({ chain, contract, gate }: ConfiguredHub): CheckedEntry => ({
  chain,
  role: "hub",
  expectations: [...networkOf(chain), ...hubContracts(chain, gate, contract)]
})

/** Its chains, and the hub that it settles on. Those to which nothing new is submitted are nobody's risk. */
export const checkedEntries = (environment: Environment): ReadonlyArray<CheckedEntry> => {
  const { configured: { chains }, operatorKey, settling, solverKey } = environment
  const accounts = { solver: accountOf(solverKey), operator: accountOf(operatorKey) }
  const feeds = feedsOf(environment)
  return [
    ...chains.map((chain): CheckedEntry => ({
      chain,
      role: "chain",
      expectations: expectationsOf(chain, { _tag: "Trade", accounts, feeds })
    })),
    ...(settling === undefined ? [] : [hubEntry(settling.hub)])
  ]
}

/** A quorum where the file names one; elsewhere one endpoint is believed, as in all that this service reads. */
const endpointsOf = (
  urls: ReadonlyArray<Redacted.Redacted>,
  needed: number | undefined
): ReadonlyArray<CheckedEndpoints> => {
  const endpoints = observedEndpoints(urls, needed)
  return Result.isFailure(endpoints)
    ? []
    : [{ ...endpoints.success, decides: needed === undefined ? "those that answer" : "quorum" }]
}

const checkedChains = (
  { configured: { chains, quorums, urls }, settling }: Environment
): ReadonlyArray<CheckedChain> => {
  const hub = settling === undefined || urls.has(settling.hub.chain.id) ? [] : [settling.hub]
  return [
    ...chains.flatMap((chain) =>
      endpointsOf(urls.get(chain.id) ?? [], quorums.get(chain.id)).map((endpoints) => ({ chain, endpoints }))
    ),
    ...hub.flatMap(({ chain, rpcQuorum, urls: own }) =>
      endpointsOf(own, rpcQuorum).map((endpoints) => ({ chain, endpoints }))
    )
  ]
}

export const layer = (environment: Environment) =>
  CheckedConfiguration.layer(checkedEntries(environment), countStuck("configuration-contradicted")).pipe(
    Layer.provide(layerFacts(checkedChains(environment), environment.families.observing))
  )
