/**
 * The swaps of an entry of the chains file: parses contracts, finds currencies, and refuses duplicate sources or
 * currencies.
 */
import { Result } from "effect"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { can } from "../../../src/domain/families/FamilyRules.ts"
import { Bps } from "../../../src/domain/money/Bps.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import type { ChainSwaps, SwapSource } from "../../../src/domain/swap/SwapSource.ts"
import type { ChainEntry, SwapsEntry } from "./ChainsFile.ts"
import { currencyOf, problem } from "./CurrencyFromEntry.ts"
import { listed as titlesOf } from "./FamilyOfEntry.ts"
import type { Problem } from "../Variables.ts"

/** Refuses sources of other families. */
const refuseForeign = (
  entry: ChainEntry,
  { sources }: SwapsEntry,
  { entries: { swapSources } }: ChainFamily,
  families: ReadonlyArray<ChainFamily>
): Result.Result<void, Problem> => {
  if (swapSources.length === 0) {
    const having = families.filter(({ entries }) => entries.swapSources.length > 0)
    return problem(entry, `swaps: only ${titlesOf(having)} have swap sources`)
  }
  const foreign = sources.find(({ id }) => !swapSources.includes(id))
  if (foreign === undefined) return Result.succeed(undefined)
  const having = families.filter(({ entries }) => entries.swapSources.includes(foreign.id))
  return problem(entry, `swaps.sources: ${foreign.id} is a source of ${titlesOf(having)} only`)
}

/** `held` are the currencies of the entry that the solver holds. `family` is the entry's. */
export const swapsOf = (
  entry: ChainEntry,
  listed: SwapsEntry,
  held: ReadonlyArray<Currency>,
  family: ChainFamily,
  families: ReadonlyArray<ChainFamily>
): Result.Result<ChainSwaps, Problem> =>
  Result.gen(function*() {
    yield* refuseForeign(entry, listed, family, families)
    const codec = family.rules.addresses(entry.additionalData?.network ?? "mainnet")
    if (listed.depositor !== undefined && !can(family.rules, "swaps-before-deposits")) {
      return yield* problem(
        entry,
        `swaps: nothing is swapped before a deposit on ${family.title}, so there is no depositor`
      )
    }
    if (listed.handover !== undefined && !can(family.rules, "calls")) {
      return yield* problem(entry, `swaps: no calls run after a swap on ${family.title}, so there is no handover`)
    }
    const account = (text: string, field: string) =>
      Result.match(codec.parse(text), {
        onSuccess: Result.succeed,
        onFailure: ({ reason }) => problem(entry, `swaps.${field}: ${reason}`)
      })
    const sources: Array<SwapSource> = []
    for (const source of listed.sources) {
      const router = yield* account(source.router, `${source.id}.router`)
      sources.push(
        source.id !== "uniswap-v3"
          ? { id: source.id, router }
          : {
            id: source.id,
            router,
            quoter: yield* account(source.quoter, `${source.id}.quoter`),
            feeTiers: source.feeTiers
          }
      )
    }
    if (new Set(sources.map(({ id }) => id)).size < sources.length) {
      return yield* problem(entry, "swaps names a source twice")
    }
    const { preferred } = listed
    if (
      preferred !== undefined && sources.every(({ id }) => id !== preferred.source)
    ) {
      return yield* problem(entry, "swaps.preferred is not one of its sources")
    }
    const currencies = yield* Result.all(
      (listed.currencies ?? []).map((currency) => currencyOf(entry, currency, codec))
    )
    const all = [...held, ...currencies].map(({ address }) => address)
    if (new Set(all).size < all.length) {
      return yield* problem(entry, "swaps.currencies lists a currency twice, or one of its currencies")
    }
    const depositor = listed.depositor === undefined ? undefined : yield* account(listed.depositor, "depositor")
    return {
      wrapped: yield* account(listed.wrapped, "wrapped"),
      ...(depositor === undefined ? {} : { depositor }),
      through: yield* Result.all((listed.through ?? []).map((token) => account(token, "through"))),
      sources,
      ...(listed.handover === undefined ? {} : { handover: yield* account(listed.handover, "handover") }),
      ...(preferred === undefined
        ? {}
        : { preferred: { source: preferred.source, withinBps: Bps(BigInt(preferred.withinBps)) } }),
      currencies
    }
  })
