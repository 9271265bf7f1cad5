/**
 * The facts that configurations are compared with, of the chains of all families: one value a family, loaded only when
 * a chain of it is there.
 */
import { Effect, Layer } from "effect"
import type { Redacted, Scope } from "effect"
import { makeFacts } from "../../adapters/quorum/ReadingFacts.ts"
import type { CheckedEndpoints, FamilyCheck } from "../../adapters/quorum/ReadingFacts.ts"
import { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import type { VmFamily } from "../../src/domain/chain/VmFamily.ts"

export interface CheckedChain {
  readonly chain: Pick<Chain, "family" | "id">
  readonly endpoints: CheckedEndpoints
}

/** What an exchange is asked with. */
export interface CheckSettings {
  readonly exchangeBKey?: Redacted.Redacted | undefined
}

type Endpoints = ReadonlyMap<ChainId, CheckedEndpoints>
type Facts = Effect.Effect<ChainFacts["Service"], never, Scope.Scope>

const over = <Client>(load: () => Promise<FamilyCheck<Client>>, of: Endpoints): Facts =>
  Effect.flatMap(Effect.promise(load), (check) => makeFacts(check, of))

const checks = {
  "ethereum-vm": (of: Endpoints) => over(async () => (await import("../../adapters/ethereum/Check.ts")).check, of),
  "solana-vm": (of: Endpoints) => over(async () => (await import("../../adapters/solana/Check.ts")).check, of),
  "bitcoin-vm": (of: Endpoints) => over(async () => (await import("../../adapters/bitcoin/Check.ts")).check, of),
  "tron-vm": (of: Endpoints) => over(async () => (await import("../../adapters/tron/Check.ts")).check, of),
  "exchangea-vm": (of: Endpoints) => over(async () => (await import("../../adapters/exchange-a/Check.ts")).check, of),
  "exchangeb-vm": (of: Endpoints, { exchangeBKey }: CheckSettings) =>
    over(async () => (await import("../../adapters/exchange-b/Check.ts")).checkWith(exchangeBKey), of)
} as const satisfies Record<VmFamily, (of: Endpoints, settings: CheckSettings) => Facts>

/** The port of all families, by the family of the chain that is asked for. */
export const layerChainFacts = (
  checked: ReadonlyArray<CheckedChain>,
  settings: CheckSettings = {}
): Layer.Layer<ChainFacts> =>
  Layer.effect(
    ChainFacts,
    Effect.gen(function*() {
      const families = [...Map.groupBy(checked, ({ chain }) => chain.family)]
      const opened = new Map(
        yield* Effect.forEach(families, ([family, chains]) =>
          Effect.map(
            checks[family](new Map(chains.map(({ chain, endpoints }) => [chain.id, endpoints])), settings),
            (facts) => [family, facts] as const
          ))
      )
      return ChainFacts.of({
        read: (chain, asked) =>
          opened.get(chain.family)?.read(chain, asked) ??
            Effect.fail(
              new ChainUnavailable({ chain: chain.slug, operation: "comparing the configuration", kind: "not-served" })
            )
      })
    })
  )
