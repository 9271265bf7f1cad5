/** The sources of the configured currencies' prices: the fixed table, aggregators and feeds over HTTP, by chain and currency. */
import { Result } from "effect"
import type { PythFeed } from "../../../adapters/prices/PythPrices.ts"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import type { PriceFeed } from "../../../ports/market/PriceFeeds.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { Bps } from "../../../src/domain/money/Bps.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { parseUsdPrice } from "../../../src/domain/money/Usd.ts"
import type { UsdPrice } from "../../../src/domain/money/Usd.ts"
import type { ChainEntry, CurrencyEntry } from "./ChainsFile.ts"
import { withPart } from "./FamilyOfEntry.ts"
import { Problem } from "../Variables.ts"

export interface ConfiguredPrices {
  readonly fixed: ReadonlyMap<string, UsdPrice>
  readonly feeds: ReadonlyMap<string, PriceFeed>
  readonly pyth: ReadonlyMap<string, PythFeed>
}

const [USUAL_AGE_SECONDS, USUAL_CONFIDENCE_BPS] = [60, 50]

/** The name of a currency in both tables. */
export const priceKey = ({ address, chainId }: Pick<Currency, "address" | "chainId">): string => `${chainId}:${address}`

const feedOf = (
  chains: ReadonlyArray<Chain>,
  families: ReadonlyArray<ChainFamily>,
  entry: ChainEntry,
  { price, symbol }: CurrencyEntry
): Result.Result<PriceFeed | undefined, Problem> => {
  const configured = price?.chainlink
  if (configured === undefined) return Result.succeed(undefined)
  const problem = (why: string) =>
    Result.fail(new Problem({ message: `chain ${entry.id}: price feed of ${symbol}: ${why}` }))
  const chain = chains.find(({ slug }) => slug === (configured.chain ?? entry.id))
  if (chain === undefined) return problem("its chain is not served")
  const having = withPart(families, "price-feeds").map(({ rules }) => rules.name)
  if (!having.includes(chain.family.name)) return problem(`aggregators are read on ${having.join(" and ")} only`)
  const address = chain.family.addresses(chain.network).parse(configured.feed)
  return Result.isFailure(address)
    ? problem(address.failure.reason)
    : Result.succeed({ chain, address: address.success, heartbeatSeconds: configured.heartbeatSeconds })
}

const pythFeedOf = ({ price }: Pick<CurrencyEntry, "price">): PythFeed | undefined =>
  price?.pyth === undefined ? undefined : {
    id: price.pyth.id,
    maxAgeSeconds: price.pyth.maxAgeSeconds ?? USUAL_AGE_SECONDS,
    maxConfidence: Bps(BigInt(price.pyth.maxConfidenceBps ?? USUAL_CONFIDENCE_BPS))
  }

/** `currencies` are those of `entry`, in its order. Fails with a problem that names the currency. */
export const configuredPrices = (
  chains: ReadonlyArray<Chain>,
  entries: ReadonlyArray<ChainEntry>,
  families: ReadonlyArray<ChainFamily>
): Result.Result<ConfiguredPrices, Problem> =>
  Result.gen(function*() {
    const fixed = new Map<string, UsdPrice>()
    const feeds = new Map<string, PriceFeed>()
    const pyth = new Map<string, PythFeed>()
    for (const entry of entries) {
      const chain = chains.find(({ slug }) => slug === entry.id)
      const [listedOnes, ours] = [[...entry.currencies ?? [], ...entry.swaps?.currencies ?? []], [
        ...chain?.currencies ?? [],
        ...chain?.swaps?.currencies ?? []
      ]]
      for (const [index, listed] of listedOnes.entries()) {
        const currency = ours[index]
        if (currency === undefined) continue
        if (listed.price === undefined || Object.keys(listed.price).length === 0) {
          return yield* Result.fail(
            new Problem({
              message:
                `chain ${entry.id}: currency ${listed.symbol} has no price: without one it can be neither quoted nor refunded`
            })
          )
        }
        const price = listed.price?.fixedUsd === undefined ? undefined : parseUsdPrice(listed.price.fixedUsd)
        if (price !== undefined && (Result.isFailure(price) || price.success === 0n)) {
          return yield* Result.fail(
            new Problem({ message: `chain ${entry.id}: fixedUsd of ${listed.symbol} is not a price above zero` })
          )
        }
        if (price !== undefined) fixed.set(priceKey(currency), price.success)
        const feed = yield* feedOf(chains, families, entry, listed)
        if (feed !== undefined) feeds.set(priceKey(currency), feed)
        const overHttp = pythFeedOf(listed)
        if (overHttp !== undefined) pyth.set(priceKey(currency), overHttp)
      }
    }
    return { fixed, feeds, pyth }
  })
