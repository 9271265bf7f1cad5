/**
 * The configured chains, from the file to the domain's values: read, filled in and checked in one pass.
 *
 * URLs leave this file only as Redacted, and only beside the chains, never inside them.
 */
import { Effect } from "effect"
import type { Redacted } from "effect"
import { readFile } from "node:fs/promises"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { chainOf, endpointsOf } from "./entries/ChainFromEntry.ts"
import { configuredPrices } from "./entries/ConfiguredPrices.ts"
import type { ConfiguredPrices } from "./entries/ConfiguredPrices.ts"
import { faultOf } from "./JsonFault.ts"
import { lowWaterMarks } from "./entries/LowWaterMarks.ts"
import type { LowWaterMarks } from "./entries/LowWaterMarks.ts"
import { oneFactory } from "./entries/OneFactory.ts"
import { publicEndpointOf } from "./entries/PublicEndpoint.ts"
import { decodeEntries, select, settlementOf } from "./entries/ReadEntries.ts"
import type { Settlement } from "./entries/ReadEntries.ts"
import { substitute } from "./Substitute.ts"
import { ConfigsFolder } from "./ConfigsFolder.ts"
import { Families } from "../families.ts"
import { collect, Problem } from "./Variables.ts"

export interface ConfiguredChains {
  readonly chains: ReadonlyArray<Chain>
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  /** How many endpoints must agree, for chains whose entry gives a number. */
  readonly quorums: ReadonlyMap<ChainId, number>
}

/** What a service that moves money needs besides the chains. */
export interface ConfiguredMarket extends ConfiguredChains {
  readonly prices: ConfiguredPrices
  readonly lowWater: LowWaterMarks
  readonly settlement: Settlement
}

/** A file of the environment under configs/: `chains` or `chains.hub`. */
export const readConfig = (name: "chains" | "chains.hub", environment: string) =>
  Effect.flatMap(ConfigsFolder, (folder) =>
    Effect.tryPromise({
      try: () => readFile(new URL(`${name}.${environment}.json`, folder), "utf8"),
      catch: () => new Problem({ message: `there is no configs/${name}.${environment}.json: is ENVIRONMENT right?` })
    })).pipe(Effect.flatMap((text) =>
      Effect.try({
        try: (): unknown => JSON.parse(text),
        catch: () => new Problem({ message: `configs/${name}.${environment}.json is not JSON: ${faultOf(text)}` })
      })
    ))

const twice = (values: ReadonlyArray<string | number>): ReadonlyArray<string | number> =>
  values.filter((value, index) => values.indexOf(value) !== index)

/**
 * The entries of an environment's file with their variables filled in, and the values that both services read from
 * them.
 */
const load = Effect.fnUntraced(function*(environment: string, selected: ReadonlyArray<string> | undefined) {
  const wanted = yield* Effect.fromResult(select(yield* readConfig("chains", environment), selected))
  const entries = yield* Effect.fromResult(decodeEntries(yield* substitute(wanted)))
  const repeated = [...twice(entries.map(({ id }) => id)), ...twice(entries.map(({ chainId }) => chainId))]
  if (repeated.length > 0) return yield* new Problem({ message: `configured twice: ${repeated.join(", ")}` })
  const families = yield* Families
  const read = entries.map((entry) => chainOf(entry, families))
  const told = entries.map((entry) => publicEndpointOf(entry, environment))
  yield* Effect.fromResult(collect<unknown>([...read, ...entries.map(endpointsOf), ...told]))
  const publicUrls = yield* Effect.fromResult(collect(told))
  const chains = (yield* Effect.fromResult(collect(read))).map((chain, index) => ({
    ...chain,
    publicRpcUrl: publicUrls[index]
  }))
  yield* Effect.fromResult(oneFactory(chains))
  const endpoints = yield* Effect.fromResult(collect(entries.map(endpointsOf)))
  const urls = new Map(entries.map(({ chainId }, index) => [chainId, endpoints[index] ?? []] as const))
  const quorums = new Map(
    entries.flatMap(({ chainId, rpcQuorum }) => rpcQuorum === undefined ? [] : [[chainId, rpcQuorum] as const])
  )
  return { entries, configured: { chains, urls, quorums } satisfies ConfiguredChains }
})

/**
 * The chains of an environment, only those in `selected` when it is given. Fails with one problem that names all
 * faults: a missing file or variable, an unknown field, a malformed address or URL, an unknown selection, a duplicate
 * id.
 */
export const loadChains = Effect.fn("configuration.chains")(
  function*(environment: string, selected: ReadonlyArray<string> | undefined) {
    return (yield* load(environment, selected)).configured
  }
)

/**
 * The chains with their prices and the settlement chain. A currency without a price, or a missing settlement chain, is
 * a problem too.
 */
export const loadMarket = Effect.fn("configuration.market")(
  function*(environment: string, selected: ReadonlyArray<string> | undefined) {
    const { configured, entries } = yield* load(environment, selected)
    const settlement = yield* Effect.fromResult(settlementOf(entries, configured.chains))
    const prices = yield* Effect.fromResult(configuredPrices(configured.chains, entries, yield* Families))
    const lowWater = yield* Effect.fromResult(lowWaterMarks(configured.chains, entries))
    return { ...configured, prices, settlement, lowWater } satisfies ConfiguredMarket
  }
)
