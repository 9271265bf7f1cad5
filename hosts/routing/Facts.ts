/** The facts that configurations are checked against, for the chains of all families. */
import { Context, Effect, Layer } from "effect"
import type { Observing } from "../../adapters/family/ChainFamily.ts"
import type { CheckedEndpoints } from "../../adapters/quorum/ReadingFacts.ts"
import { ChainFacts, routeChainFacts } from "../../ports/chain/ChainFacts.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { routed } from "../../ports/chain/Routing.ts"
import { openFamilies } from "./PerFamily.ts"
import type { Located, PerFamily } from "./PerFamily.ts"

/** A chain that is checked against its entry. */
export type CheckedChain = Located<CheckedEndpoints>

const unserved = Context.make(
  ChainFacts,
  ChainFacts.of({
    read: ({ slug }) =>
      Effect.fail(new ChainUnavailable({ chain: slug, operation: "comparing the configuration", kind: "not-served" }))
  })
)

export const layerFacts = (
  checked: ReadonlyArray<CheckedChain>,
  families: PerFamily<Pick<Observing, "facts">>
): Layer.Layer<ChainFacts> =>
  Layer.effect(
    ChainFacts,
    Effect.map(
      openFamilies(checked, (name, endpoints) => families.get(name)?.facts(endpoints)),
      (opened) => routed(routeChainFacts, ({ name }) => Context.get(opened.get(name) ?? unserved, ChainFacts))
    )
  )
