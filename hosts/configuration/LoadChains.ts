/**
 * The configured chains, from the file to the domain's values: read, filled in, checked, in one go.
 *
 * URLs leave this file only as Redacted and only beside the chains, never inside them.
 */
import { Effect, Redacted, Result, Schema, SchemaIssue } from "effect"
import { readFile } from "node:fs/promises"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import type { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { findCurrency } from "../../src/domain/chain/Chain.ts"
import type { Chain, FinalityRule } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { parseDecimal } from "../../src/domain/money/Decimal.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { Usd, USD_DIGITS } from "../../src/domain/money/Usd.ts"
import { ChainsFile } from "./ChainsFile.ts"
import type { ChainEntry, CurrencyEntry } from "./ChainsFile.ts"
import { configuredPrices } from "./ConfiguredPrices.ts"
import type { ConfiguredPrices } from "./ConfiguredPrices.ts"
import { substitute } from "./Substitute.ts"
import { Problem } from "./Variables.ts"

export interface ConfiguredChains {
  readonly chains: ReadonlyArray<Chain>
  readonly urls: ReadonlyMap<ChainId, ReadonlyArray<Redacted.Redacted>>
  readonly prices: ConfiguredPrices
  readonly settlement: { readonly chain: Chain; readonly token: CurrencyAddress }
}

const configs = new URL("../../configs/", import.meta.url)

const readJson = (environment: string) =>
  Effect.tryPromise({
    try: () => readFile(new URL(`chains.${environment}.json`, configs), "utf8"),
    catch: () => new Problem({ message: `there is no configs/chains.${environment}.json: is ENVIRONMENT right?` })
  }).pipe(Effect.flatMap((text) =>
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new Problem({ message: `configs/chains.${environment}.json is not JSON` })
    })
  ))

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

const decodeFile = (json: unknown) =>
  Schema.decodeUnknownEffect(ChainsFile, { onExcessProperty: "error", errors: "all" })(json).pipe(
    Effect.mapError(({ issue }) =>
      new Problem({
        message: `the chain configuration is not valid at ${
          formatIssue(issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")} (${message})`).join("; ")
        }`
      })
    )
  )

const problem = (entry: ChainEntry, message: string) => Result.fail(new Problem({ message: `chain ${entry.id}: ${message}` }))

const endpoints = (entry: ChainEntry): Result.Result<ReadonlyArray<Redacted.Redacted>, Problem> => {
  const listed = typeof entry.httpRpcUrl === "string" ? [entry.httpRpcUrl] : entry.httpRpcUrl
  const urls = listed.flatMap((text) => text.split(",")).map((text) => text.trim())
  return urls.every((url) => /^https?:\/\//.test(url) && URL.canParse(url))
    ? Result.succeed(urls.map((url) => Redacted.make(url, { label: "rpc-url" })))
    : problem(entry, "httpRpcUrl holds something that is no http(s) URL")
}

const finalityOf = ({ finality }: ChainEntry): FinalityRule => {
  if (finality === undefined) return { _tag: "Depth", blocks: 10, seconds: 60 }
  return "tag" in finality
    ? { _tag: "Tag", tag: finality.tag, seconds: finality.seconds ?? 900 }
    : { _tag: "Depth", blocks: finality.blocks, seconds: finality.seconds ?? 60 }
}

const currencyOf = (entry: ChainEntry, listed: CurrencyEntry): Result.Result<Currency, Problem> => {
  const codec = addressCodec(entry.vmType, entry.additionalData?.network)
  const address = codec.parseCurrency(listed.address)
  if (Result.isFailure(address)) return problem(entry, `currency ${listed.symbol}: ${address.failure.reason}`)
  return Result.succeed({
    chainId: entry.chainId,
    address: address.success,
    symbol: listed.symbol,
    name: listed.name,
    decimals: listed.decimals,
    isNative: address.success === codec.nativeCurrency,
    ...(listed.logoUri === undefined ? {} : { logoUri: listed.logoUri })
  })
}

const chainOf = (entry: ChainEntry): Result.Result<Chain, Problem> =>
  Result.gen(function*() {
    const codec = addressCodec(entry.vmType, entry.additionalData?.network)
    const account = (text: string | undefined, field: string) =>
      text === undefined
        ? Result.succeed(undefined)
        : Result.mapError(codec.parse(text), ({ reason }) => new Problem({ message: `chain ${entry.id}: ${field}: ${reason}` }))
    const currencies = yield* Result.all((entry.currencies ?? []).map((listed) => currencyOf(entry, listed)))
    const native = currencies.find((currency) => currency.isNative)
    const depository = yield* account(entry.depository, "depository")
    const router = yield* account(entry.router, "router")
    const vault = yield* account(entry.additionalData?.vault, "vault")
    if (native === undefined) return yield* problem(entry, "currencies lacks the native currency")
    if (depository === undefined) return yield* problem(entry, "has no depository")
    const confirmations = (entry.confirmations ?? []).map(({ blocks, upToUsd }) => ({
      upToUsd: Usd(Result.getOrElse(parseDecimal(upToUsd, USD_DIGITS), () => 0n)),
      blocks
    }))
    return {
      id: entry.chainId,
      slug: entry.id,
      family: entry.vmType,
      network: entry.additionalData?.network ?? "mainnet",
      name: entry.additionalData?.displayName ?? entry.id,
      depository,
      router,
      vault,
      native,
      currencies,
      finality: finalityOf(entry),
      confirmations,
      blockTimeMs: entry.additionalData?.blockTimeMs ?? 12_000,
      explorerUrl: entry.additionalData?.explorerUrl
    }
  })

/** The one chain whose entry names a settlement token, which must be one of its currencies. */
const settlementOf = (
  entries: ReadonlyArray<ChainEntry>,
  chains: ReadonlyArray<Chain>
): Result.Result<ConfiguredChains["settlement"], Problem> => {
  const named = entries.filter((entry) => entry.additionalData?.settlementToken !== undefined)
  const [entry] = named
  const chain = chains.find(({ slug }) => slug === entry?.id)
  if (entry === undefined || chain === undefined || named.length > 1) {
    return Result.fail(new Problem({ message: "exactly one served chain must name a settlementToken in its additionalData" }))
  }
  const address = addressCodec(chain.family, chain.network).parseCurrency(entry.additionalData?.settlementToken ?? "")
  const token = Result.isSuccess(address) ? findCurrency(chain, address.success) : undefined
  return token === undefined
    ? problem(entry, "settlementToken is none of its currencies")
    : Result.succeed({ chain, token: token.address })
}

/**
 * The chains of an environment, those in `selected` only when it is given.
 * Fails with one problem: a missing file or variable, an unknown field, a malformed address or URL, an unknown selection.
 */
export const loadChains = Effect.fn("configuration.chains")(function*(
  environment: string,
  selected: ReadonlyArray<string> | undefined
) {
  const json = yield* readJson(environment)
  const listed = Array.isArray(json) ? json : []
  const wanted = selected === undefined
    ? listed
    : listed.filter((entry: { readonly id?: unknown }) => selected.includes(String(entry.id)))
  const unknown = (selected ?? []).filter((id) => !listed.some((entry: { readonly id?: unknown }) => entry.id === id))
  if (unknown.length > 0) return yield* new Problem({ message: `CHAINS names chains that are not configured: ${unknown.join(", ")}` })
  const entries = yield* decodeFile(yield* substitute(Array.isArray(json) ? wanted : json))
  const chains = yield* Effect.fromResult(Result.all(entries.map(chainOf)))
  const urls = new Map<ChainId, ReadonlyArray<Redacted.Redacted>>()
  for (const entry of entries) {
    urls.set(entry.chainId, yield* Effect.fromResult(endpoints(entry)))
  }
  const settlement = yield* Effect.fromResult(settlementOf(entries, chains))
  const prices = yield* Effect.fromResult(configuredPrices(chains, entries))
  return { chains, urls, prices, settlement } satisfies ConfiguredChains
})
