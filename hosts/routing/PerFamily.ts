/** Opens the families of the chains that a service has, and forwards each call for a chain to its family. */
import { Effect, Layer } from "effect"
import type { Context, Scope } from "effect"
import type { ChainFamily, Settings } from "../../adapters/family/ChainFamily.ts"
import { collect } from "../../adapters/family/Variables.ts"
import type { Problem } from "../../adapters/family/Variables.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import type { FamilyRules } from "../../src/domain/families/FamilyRules.ts"

/** By the family's name. */
export type PerFamily<A> = ReadonlyMap<FamilyRules["name"], A>

/** A chain, and its endpoints. */
export interface Located<Endpoints> {
  readonly chain: Pick<Chain, "family" | "id">
  readonly endpoints: Endpoints
}

/** Reads the settings of families that have some. Fails with one problem that names everything that is wrong. */
export const readSettings = <A>(
  families: ReadonlyArray<ChainFamily>,
  settingsOf: (family: ChainFamily) => Settings<A> | undefined,
  chains: ReadonlyArray<Chain>
): Effect.Effect<PerFamily<A>, Problem> =>
  Effect.gen(function*() {
    const read = yield* Effect.forEach(families, (family) => {
      const { name } = family.rules
      const settings = settingsOf(family)
      return Effect.result(
        settings === undefined
          ? Effect.succeed([])
          : Effect.map(
            settings.read(chains.filter((chain) => chain.family.name === name)),
            (of) => [[name, of] as const]
          )
      )
    })
    return new Map((yield* Effect.fromResult(collect(read))).flat())
  })

/**
 * The ports of each family that has at least one of the chains. The scope closes them. If a chain is listed twice, the
 * last entry counts.
 */
export const openFamilies = <Endpoints, Ports, Needs = never>(
  located: ReadonlyArray<Located<Endpoints>>,
  layerOf: (
    family: FamilyRules["name"],
    endpoints: ReadonlyMap<ChainId, Endpoints>
  ) => Layer.Layer<Ports, never, Needs> | undefined
): Effect.Effect<PerFamily<Context.Context<Ports>>, never, Needs | Scope.Scope> =>
  Effect.gen(function*() {
    const opened = new Map<FamilyRules["name"], Context.Context<Ports>>()
    for (const [name, of] of Map.groupBy(located, ({ chain }) => chain.family.name)) {
      const layer = layerOf(name, new Map(of.map(({ chain, endpoints }) => [chain.id, endpoints])))
      if (layer !== undefined) opened.set(name, yield* Layer.build(Layer.fresh(layer)))
    }
    return opened
  })
