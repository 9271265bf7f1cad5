/** The observers of the chains of all families, for any service that reads chains under a quorum. */
import { Context, Effect, Layer } from "effect"
import type { Observing } from "../../adapters/family/ChainFamily.ts"
import type { ObservedEndpoints } from "../../adapters/quorum/Endpoints.ts"
import { ChainObserver, routeChainObserver } from "../../ports/chain/ChainObserver.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import { routed } from "../../ports/chain/Routing.ts"
import { routeWithdrawalObserver, WithdrawalObserver } from "../../ports/chain/WithdrawalObserver.ts"
import type { NonceMappings } from "../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { openFamilies } from "./PerFamily.ts"
import type { Located, PerFamily } from "./PerFamily.ts"

const notServed = ({ slug }: Chain, operation: string) =>
  Effect.fail(new ChainUnavailable({ chain: slug, operation, kind: "not-served" }))

/** For chains without endpoints in this service. */
const unserved = Context.make(
  ChainObserver,
  ChainObserver.of({
    observe: (chain) => notServed(chain, "observation"),
    health: () => Effect.succeed({ needed: 0, hosts: [], answering: [], weak: true })
  })
).pipe(
  Context.add(
    WithdrawalObserver,
    WithdrawalObserver.of({
      observe: (chain) => notServed(chain, "withdrawal"),
      readable: () => Effect.succeed([])
    })
  )
)

/** `mappings`: the host's own store of nonce mappings, if it has one. */
export const layerObservers = (
  observed: ReadonlyArray<Located<ObservedEndpoints>>,
  families: PerFamily<Observing>,
  mappings?: NonceMappings["Service"]
): Layer.Layer<ChainObserver | WithdrawalObserver> =>
  Layer.effectContext(Effect.gen(function*() {
    const opened = yield* openFamilies(
      observed,
      (name, endpoints) => families.get(name)?.observers(endpoints, mappings)
    )
    return Context.make(
      ChainObserver,
      routed(routeChainObserver, ({ name }) => Context.get(opened.get(name) ?? unserved, ChainObserver))
    ).pipe(
      Context.add(
        WithdrawalObserver,
        routed(routeWithdrawalObserver, ({ name }) => Context.get(opened.get(name) ?? unserved, WithdrawalObserver))
      )
    )
  }))
