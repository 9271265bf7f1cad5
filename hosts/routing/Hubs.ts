/** Balances of hubs. A hub is on a chain of the protocol's family. */
import { Effect, Layer } from "effect"
import type { Observing } from "../../adapters/family/ChainFamily.ts"
import type { ObservedEndpoints } from "../../adapters/quorum/Endpoints.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { HubBalances } from "../../ports/hub/HubBalances.ts"
import type { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { protocolFamily } from "../../src/domain/chain/ProtocolFamily.ts"
import type { PerFamily } from "./PerFamily.ts"

/** For a service without the hubs' family. */
const unserved = Layer.succeed(HubBalances, {
  read: ({ slug }) => Effect.fail(new ChainUnavailable({ chain: slug, operation: "balance", kind: "not-served" })),
  health: () => Effect.succeed({ needed: 0, hosts: [], answering: [], weak: true })
})

export const layerHubBalances = (
  endpoints: ReadonlyMap<ChainSlug, ObservedEndpoints>,
  families: PerFamily<Observing>
): Layer.Layer<HubBalances> => families.get(protocolFamily.name)?.hubs?.(endpoints) ?? unserved
