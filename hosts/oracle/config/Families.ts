/**
 * One observer for the chains of all families: what is asked of a chain goes to its family.
 *
 * A family is loaded only when a chain of it is observed: what Solana's transactions are decoded with takes a quarter
 * of a second to load.
 */
import { Context, Effect, Layer } from "effect"
import type { ExplorerSettings } from "../../../adapters/bitcoin/observe/explorer/Explorer.ts"
import { EthereumQuorums } from "../../../adapters/ethereum/observe/Observer.ts"
import * as EthereumObserver from "../../../adapters/ethereum/observe/Observer.ts"
import * as EthereumWithdrawals from "../../../adapters/ethereum/observe/Withdrawals.ts"
import type { ExchangeCompanions } from "./ExchangeVariables.ts"
import type { FamilyQuorums } from "../../../adapters/quorum/Observing.ts"
import type { ObservedEndpoints } from "../../../adapters/quorum/Endpoints.ts"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { WithdrawalObserver } from "../../../ports/chain/WithdrawalObserver.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { VmFamily } from "../../../src/domain/chain/VmFamily.ts"

interface ObservedChain {
  readonly chain: Chain
  readonly endpoints: ObservedEndpoints
}

type Observers = ChainObserver | WithdrawalObserver

/** What a family needs beside its endpoints. */
export interface FamilySettings extends ExchangeCompanions {
  /** Bitcoin's, for withdrawals. */
  readonly explorer?: ExplorerSettings | undefined
}

/** Each family's observers over the endpoints of its chains. */
const observersOf = {
  "ethereum-vm": (quorums: FamilyQuorums): Layer.Layer<Observers> =>
    Layer.merge(EthereumObserver.layer, EthereumWithdrawals.layer).pipe(
      Layer.provide(Layer.succeed(EthereumQuorums, quorums))
    ),
  "solana-vm": (quorums: FamilyQuorums): Layer.Layer<Observers> =>
    Layer.unwrap(Effect.promise(async () => {
      // Not the folder's index: what pays and swaps there is no oracle's.
      const [Observer, Withdrawals] = await Promise.all([
        import("../../../adapters/solana/observe/Observer.ts"),
        import("../../../adapters/solana/observe/Withdrawals.ts")
      ])
      return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
        Layer.provide(Layer.succeed(Observer.SolanaQuorums, quorums))
      )
    })),
  "exchangea-vm": (quorums: FamilyQuorums, { mappings, proxy }: ExchangeCompanions): Layer.Layer<Observers> =>
    Layer.unwrap(Effect.promise(async () => {
      const { HubMappings, Observer, Withdrawals } = await import("../../../adapters/exchange-a/index.ts")
      const kept = mappings === undefined ? HubMappings.none : HubMappings.layer(mappings)
      const asked = { ...quorums, ...(proxy === undefined ? {} : { proxy }) }
      return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
        Layer.provide([Layer.succeed(Observer.ExchangeAQuorums, asked), kept])
      )
    })),
  "exchangeb-vm": (quorums: FamilyQuorums, { exchangeBKey }: ExchangeCompanions): Layer.Layer<Observers> =>
    Layer.unwrap(Effect.promise(async () => {
      const { Observer, Withdrawals } = await import("../../../adapters/exchange-b/index.ts")
      const asked = { ...quorums, ...(exchangeBKey === undefined ? {} : { key: exchangeBKey }) }
      return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
        Layer.provide(Layer.succeed(Observer.ExchangeBQuorums, asked))
      )
    })),
  "bitcoin-vm": (quorums: FamilyQuorums, { explorer }: FamilySettings): Layer.Layer<Observers> =>
    Layer.unwrap(Effect.promise(async () => {
      const { Observer, Withdrawals } = await import("../../../adapters/bitcoin/index.ts")
      return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
        Layer.provide(Layer.succeed(Observer.BitcoinQuorums, { ...quorums, explorer }))
      )
    })),
  "tron-vm": (quorums: FamilyQuorums): Layer.Layer<Observers> =>
    Layer.unwrap(Effect.promise(async () => {
      const { Observer, Withdrawals } = await import("../../../adapters/tron/index.ts")
      return Layer.merge(Observer.layer, Withdrawals.layer).pipe(
        Layer.provide(Layer.succeed(Observer.TronQuorums, quorums))
      )
    }))
} as const satisfies Record<VmFamily, (quorums: FamilyQuorums, settings: FamilySettings) => Layer.Layer<Observers>>

const notServed = ({ slug }: Chain, operation: string) =>
  Effect.fail(new ChainUnavailable({ chain: slug, operation, kind: "not-served" }))

/** The ports of all families, by the family of the chain that is asked for. */
export const layerFamilies = (
  observed: ReadonlyArray<ObservedChain>,
  settings: FamilySettings = {}
): Layer.Layer<Observers> =>
  Layer.effectContext(Effect.gen(function*() {
    const families = [...Map.groupBy(observed, ({ chain }) => chain.family)]
    const opened = yield* Effect.forEach(families, ([family, chains]) =>
      Effect.map(
        Layer.build(
          Layer.fresh(
            observersOf[family]({ of: new Map(chains.map(({ chain, endpoints }) => [chain.id, endpoints])) }, settings)
          )
        ),
        (context) =>
          [family, {
            observer: Context.get(context, ChainObserver),
            withdrawals: Context.get(context, WithdrawalObserver)
          }] as const
      ))
    const byFamily = new Map<
      VmFamily,
      { readonly observer: ChainObserver["Service"]; readonly withdrawals: WithdrawalObserver["Service"] }
    >(opened)
    const observer = ChainObserver.of({
      observe: (chain, ids, hints) =>
        byFamily.get(chain.family)?.observer.observe(chain, ids, hints) ?? notServed(chain, "observation"),
      health: (chain) =>
        byFamily.get(chain.family)?.observer.health(chain) ??
          Effect.succeed({ needed: 0, hosts: [], answering: [], weak: true })
    })
    const withdrawals = WithdrawalObserver.of({
      observe: (chain, withdrawal) =>
        byFamily.get(chain.family)?.withdrawals.observe(chain, withdrawal) ?? notServed(chain, "withdrawal"),
      readable: (chain) => byFamily.get(chain.family)?.withdrawals.readable(chain) ?? Effect.succeed([])
    })
    return Context.make(ChainObserver, observer).pipe(Context.add(WithdrawalObserver, withdrawals))
  }))
