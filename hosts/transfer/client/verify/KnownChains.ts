/**
 * The chains as a client knows them, from a chains file that it trusts: the one of this package
 * (`causeway-kit/configs/chains.<ENVIRONMENT>.json`), or its own copy. Endpoints and prices in it are not read.
 */
import { Result } from "effect"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { chainOf } from "../../../configuration/entries/ChainFromEntry.ts"
import { decodeEntries, select, settlementOf } from "../../../configuration/entries/ReadEntries.ts"
import { families } from "../../../families.ts"

/** What a client knows without asking the service. */
export interface KnownChains {
  readonly chains: ReadonlyArray<Chain>
  /** Where the service's transfers are settled. */
  readonly settlement: Chain
}

/** Which part of the file is meant. */
export interface KnownChainsOptions {
  /** Slugs of the chains that the service serves, all of the file by default; the hub's must be one. */
  readonly served?: ReadonlyArray<string>
  /** Of `$NAME` in the file. Endpoints need none. */
  readonly variables?: Readonly<Record<string, string>>
}

const filledIn = (file: unknown, variables: Readonly<Record<string, string>>): unknown =>
  JSON.parse(
    JSON.stringify(file),
    (_, value: unknown) =>
      typeof value === "string" && value.startsWith("$") ? variables[value.slice(1)] ?? value : value
  )

/** `file`: the file's JSON. Throws an error that names every fault. */
export const knownChains = (file: unknown, { served, variables = {} }: KnownChainsOptions = {}): KnownChains => {
  const read = Result.gen(function*() {
    const entries = yield* decodeEntries(yield* select(filledIn(file, variables), served))
    const chains = yield* Result.all(entries.map((entry) => chainOf(entry, families)))
    const { chain } = yield* settlementOf(entries, chains)
    return { chains, settlement: chain }
  })
  if (Result.isFailure(read)) throw new Error(read.failure.message)
  return read.success
}
