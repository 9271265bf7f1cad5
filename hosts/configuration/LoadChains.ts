/**
 * The configured chains, from the file to the domain's values: read, filled in and checked in one pass.
 *
 * URLs leave this file only as Redacted, and only beside the chains, never inside them.
 */
import { Effect, Predicate, Result, Schema, SchemaIssue } from "effect"
import type { Redacted } from "effect"
import { readFile } from "node:fs/promises"
import type { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { findCurrency } from "../../src/domain/chain/Chain.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { chainOf, endpointsOf } from "./entries/ChainFromEntry.ts"
import { problem } from "./entries/CurrencyFromEntry.ts"
import { ChainsFile } from "./entries/ChainsFile.ts"
import type { ChainEntry } from "./entries/ChainsFile.ts"
import { configuredPrices } from "./entries/ConfiguredPrices.ts"
import type { ConfiguredPrices } from "./entries/ConfiguredPrices.ts"
import { faultOf } from "./JsonFault.ts"
import { lowWaterMarks } from "./entries/LowWaterMarks.ts"
import type { LowWaterMarks } from "./entries/LowWaterMarks.ts"
import { oneFactory } from "./entries/OneFactory.ts"
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
  readonly settlement: { readonly chain: Chain; readonly token: CurrencyAddress }
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

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

const decodeFile = (json: unknown) =>
  Schema.decodeUnknownEffect(ChainsFile, { onExcessProperty: "error", errors: "all" })(json).pipe(
    Effect.mapError(({ issue }) =>
      new Problem({
        message: `the chain configuration is not valid at ${
          formatIssue(issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")} (${message})`)
            .join("; ")
        }`
      })
    )
  )

/** The one chain whose entry names a settlement token, which must be one of its currencies. */
const settlementOf = (
  entries: ReadonlyArray<ChainEntry>,
  chains: ReadonlyArray<Chain>
): Result.Result<ConfiguredMarket["settlement"], Problem> => {
  const named = entries.filter((entry) => entry.additionalData?.settlementToken !== undefined)
  const [entry] = named
  const chain = chains.find(({ slug }) => slug === entry?.id)
  if (entry === undefined || chain === undefined || named.length > 1) {
    return Result.fail(
      new Problem({ message: "exactly one served chain must name a settlementToken in its additionalData" })
    )
  }
  const address = chain.family.addresses(chain.network).parseCurrency(entry.additionalData?.settlementToken ?? "")
  const token = Result.isSuccess(address) ? findCurrency(chain, address.success) : undefined
  return token === undefined
    ? problem(entry, "settlementToken is not one of its currencies")
    : Result.succeed({ chain, token: token.address })
}

const twice = (values: ReadonlyArray<string | number>): ReadonlyArray<string | number> =>
  values.filter((value, index) => values.indexOf(value) !== index)

const idOf = (entry: unknown): string | undefined =>
  Predicate.hasProperty(entry, "id") && typeof entry.id === "string" ? entry.id : undefined

/** Selects entries before variables are filled in, so that only selected chains must be configured. */
export const select = (json: unknown, selected: ReadonlyArray<string> | undefined): Result.Result<unknown, Problem> => {
  if (selected === undefined || !Array.isArray(json)) return Result.succeed(json)
  const listed: ReadonlyArray<unknown> = json
  const unknown = selected.filter((id) => !listed.some((entry) => idOf(entry) === id))
  return unknown.length > 0
    ? Result.fail(
      new Problem({
        message: `CHAINS names chains that are not configured: ${
          unknown.map((id) => id === "" ? "an empty id" : id).join(", ")
        }; there are ${listed.flatMap((entry) => idOf(entry) ?? []).join(", ")}`
      })
    )
    : Result.succeed(listed.filter((entry) => selected.includes(idOf(entry) ?? "")))
}

/**
 * The entries of an environment's file with their variables filled in, and the values that both services read from
 * them.
 */
const load = Effect.fnUntraced(function*(environment: string, selected: ReadonlyArray<string> | undefined) {
  const wanted = yield* Effect.fromResult(select(yield* readConfig("chains", environment), selected))
  const entries = yield* decodeFile(yield* substitute(wanted))
  const repeated = [...twice(entries.map(({ id }) => id)), ...twice(entries.map(({ chainId }) => chainId))]
  if (repeated.length > 0) return yield* new Problem({ message: `configured twice: ${repeated.join(", ")}` })
  const families = yield* Families
  const read = entries.map((entry) => chainOf(entry, families))
  yield* Effect.fromResult(collect<unknown>([...read, ...entries.map(endpointsOf)]))
  const chains = yield* Effect.fromResult(collect(read))
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
