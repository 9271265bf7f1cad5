/**
 * The entries of the oracle's chains and hubs, which it uses only once the chains have confirmed them, under the same
 * quorum that it attests by.
 */
import { Layer } from "effect"
import type { CheckedEndpoints } from "../../../adapters/quorum/ReadingFacts.ts"
import { networkOf } from "../../../src/domain/configuration/Network.ts"
import { hubContracts } from "../../../src/domain/families/ethereum/EvmExpectations.ts"
import { expectationsOf } from "../../../src/domain/configuration/Expectations.ts"
import type { CheckedEntry } from "../../../src/domain/configuration/Standing.ts"
import * as CheckedConfiguration from "../../../src/services/operations/CheckedConfiguration.ts"
import { layerFacts } from "../../routing/Facts.ts"
import type { CheckedChain } from "../../routing/Facts.ts"
import { hubChainOf } from "../../configuration/LoadSettlingHub.ts"
import type { ObservedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import type { OracleEnvironment } from "./Environment.ts"

/** Only initiations depend on a hub: a contradicted hub does not stop attestations on other chains. */
const entriesOf = ({ observed, observedHubs }: OracleEnvironment): ReadonlyArray<CheckedEntry> => [
  ...observed.map(({ chain }): CheckedEntry => ({
    chain,
    role: "chain",
    expectations: expectationsOf(chain, { _tag: "Attest" })
  })),
  ...observedHubs.map(({ hub }): CheckedEntry => {
    const chain = hubChainOf(hub)
    return { chain, role: "chain", expectations: [...networkOf(chain), ...hubContracts(chain, hub.gate, hub.contract)] }
  })
]

const underQuorum = (endpoints: ObservedEndpoints): CheckedEndpoints => ({ ...endpoints, decides: "quorum" })

/** A hub on an observed chain is read through that chain's endpoints. */
const chainsOf = ({ observed, observedHubs }: OracleEnvironment): ReadonlyArray<CheckedChain> => [
  ...observedHubs.map(({ endpoints, hub }): CheckedChain => ({
    chain: hubChainOf(hub),
    endpoints: underQuorum(endpoints)
  })),
  ...observed.map(({ chain, endpoints }): CheckedChain => ({ chain, endpoints: underQuorum(endpoints) }))
]

export const layer = (environment: OracleEnvironment) =>
  CheckedConfiguration.layer(entriesOf(environment)).pipe(
    Layer.provide(layerFacts(chainsOf(environment), environment.families))
  )
