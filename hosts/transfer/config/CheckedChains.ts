/**
 * The facts about its chains and its hub that the transfer service relies on only after the chains have confirmed them,
 * and the endpoints to ask.
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

/** Its chains, and the hub that it settles on. Hubs without new submissions carry no risk, so they are not checked. */
export const checkedEntries = (environment: Environment): ReadonlyArray<CheckedEntry> => {
  const { configured: { chains }, families: { transferring }, operatorKey, settling, solverKey } = environment
  const solver = accountOf(solverKey)
  const operator = accountOf(operatorKey)
  const feeds = feedsOf(environment)
  return [
    ...chains.map((chain): CheckedEntry => ({
      chain,
      role: "chain",
      expectations: expectationsOf(chain, {
        _tag: "Trade",
        accounts: { solver: transferring.get(chain.family.name)?.solver ?? solver, operator },
        feeds
      })
    })),
    ...(settling === undefined ? [] : [hubEntry(settling.hub)])
  ]
}

/** A quorum when the file gives a number. Otherwise one endpoint is trusted, as in all readings of this service. */
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
