/**
 * Converts one entry of the chains file to the domain's chain: addresses, currencies, finality, confirmations, each
 * checked.
 */
import { Redacted, Result } from "effect"
import type { ChainFamily } from "../../../adapters/family/ChainFamily.ts"
import { usualFinality } from "../../../adapters/family/EntryRules.ts"
import type { Chain, ConfirmationStep, FinalityRule } from "../../../src/domain/chain/Chain.ts"
import { isKeyFamily } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { parseDecimal } from "../../../src/domain/money/Decimal.ts"
import { Usd, USD_DIGITS } from "../../../src/domain/money/Usd.ts"
import type { ChainEntry } from "./ChainsFile.ts"
import { currencyOf, problem } from "./CurrencyFromEntry.ts"
import { familyOf, listed, withPart } from "./FamilyOfEntry.ts"
import { swapsOf } from "./SwapsFromEntry.ts"
import { Problem } from "../Variables.ts"

/** The entry's endpoints. Two spellings of one endpoint count once. */
export const endpointsOf = (
  entry: Pick<ChainEntry, "id" | "httpRpcUrl" | "rpcQuorum">
): Result.Result<ReadonlyArray<Redacted.Redacted>, Problem> => {
  const listed = typeof entry.httpRpcUrl === "string" ? [entry.httpRpcUrl] : entry.httpRpcUrl
  const urls = [...new Set(listed.flatMap((text) => text.split(",")).map((text) => text.trim()))]
  if (!urls.every((url) => /^https?:\/\//.test(url) && URL.canParse(url))) {
    return problem(entry, "httpRpcUrl has an entry that is not an http(s) URL")
  }
  if (urls.some((url) => /\$[A-Z]/.test(url))) {
    return problem(entry, "httpRpcUrl has a $VARIABLE inside of a URL: only a whole value can be one")
  }
  if ((entry.rpcQuorum ?? 1) > urls.length) {
    return problem(entry, `rpcQuorum is ${entry.rpcQuorum}, but there are ${urls.length} endpoints`)
  }
  return Result.succeed(urls.map((url) => Redacted.make(url, { label: "rpc-url" })))
}

/** The entry's rule, or the family's default. A hub's entry has none. */
export const finalityOf = (
  { finality }: Pick<ChainEntry, "finality">,
  unsaid: FinalityRule = usualFinality
): FinalityRule => {
  if (finality === undefined) return unsaid
  return "tag" in finality
    ? { _tag: "Tag", tag: finality.tag, seconds: finality.seconds ?? 900 }
    : { _tag: "Depth", blocks: finality.blocks, seconds: finality.seconds ?? 60 }
}

/** Ascending, so that the first step that covers a value applies. More value never needs fewer confirmations. */
const confirmationsOf = (entry: ChainEntry): Result.Result<ReadonlyArray<ConfirmationStep>, Problem> => {
  const steps: Array<ConfirmationStep> = []
  for (const { blocks, upToUsd } of entry.confirmations ?? []) {
    const value = parseDecimal(upToUsd, USD_DIGITS)
    const last = steps.at(-1)
    if (Result.isFailure(value)) {
      return problem(entry, `confirmations: upToUsd "${upToUsd}" is not an amount in dollars`)
    }
    if (last !== undefined && (value.success <= last.upToUsd || blocks < last.blocks)) {
      return problem(entry, "confirmations must ascend in upToUsd and in blocks")
    }
    steps.push({ upToUsd: Usd(value.success), blocks })
  }
  return Result.succeed(steps)
}

/** The hash of the chain's first block, in families that use it to tell chains apart. */
const genesisOf = (
  entry: ChainEntry,
  { entries: { genesis } }: ChainFamily,
  families: ReadonlyArray<ChainFamily>
): Result.Result<string | undefined, Problem> => {
  const named = entry.additionalData?.genesisHash
  if (genesis !== undefined) {
    const hash = genesis(named, entry.additionalData?.network ?? "mainnet")
    return Result.isFailure(hash) ? problem(entry, hash.failure) : Result.succeed(hash.success)
  }
  const having = families.filter(({ entries }) => entries.genesis !== undefined)
  return named === undefined
    ? Result.succeed(undefined)
    : problem(entry, `genesisHash: only chains of ${listed(having)} have one`)
}

/** Parts that only chains of some families may have. */
const refuseForeign = (
  entry: ChainEntry,
  { entries: { parts }, rules }: ChainFamily,
  families: ReadonlyArray<ChainFamily>
): Result.Result<void, Problem> => {
  const { additionalData, depositAddresses, permits } = entry
  if (additionalData?.l1DataFee !== undefined && !parts.includes("l1-data-fee")) {
    return problem(entry, `l1DataFee: only ${listed(withPart(families, "l1-data-fee"))} have one`)
  }
  if (additionalData?.checkpoint !== undefined && !parts.includes("checkpoint")) {
    return problem(entry, `checkpoint: only chains of ${listed(withPart(families, "checkpoint"))} have one`)
  }
  if (depositAddresses !== undefined && "factory" in depositAddresses && !parts.includes("factory")) {
    return problem(entry, `depositAddresses: only ${listed(withPart(families, "factory"))} have a factory`)
  }
  if (depositAddresses !== undefined && "keys" in depositAddresses && !isKeyFamily(rules)) {
    const having = families.filter((each) => isKeyFamily(each.rules)).map((each) => each.rules.name)
    return problem(entry, `depositAddresses: only ${having.join(", ")} chains have derived keys`)
  }
  return permits === undefined || parts.includes("permits")
    ? Result.succeed(undefined)
    : problem(entry, `permits: only ${listed(withPart(families, "permits"))} have a Forwarder`)
}

/** `families`: the ones that the service knows. */
export const chainOf = (entry: ChainEntry, families: ReadonlyArray<ChainFamily>): Result.Result<Chain, Problem> =>
  Result.gen(function*() {
    const family = yield* familyOf(entry, families)
    const codec = family.rules.addresses(entry.additionalData?.network ?? "mainnet")
    const account = (text: string | undefined, field: string) =>
      text === undefined
        ? Result.succeed(undefined)
        : Result.mapError(
          codec.parse(text),
          ({ reason }) => new Problem({ message: `chain ${entry.id}: ${field}: ${reason}` })
        )
    const { depositAddresses } = entry
    yield* refuseForeign(entry, family, families)
    const currencies = yield* Result.all(
      (entry.currencies ?? []).map((each) =>
        Result.map(currencyOf(entry, each, codec), (currency) => {
          const unit = family.rules.payableUnit?.(currency)
          return unit === undefined ? currency : { ...currency, payableUnit: unit }
        })
      )
    )
    const native = currencies.find((currency) => currency.isNative)
    const depository = yield* account(entry.depository, "depository")
    const router = yield* account(entry.router, "router")
    const vault = yield* account(entry.additionalData?.vault, "vault")
    const factory = yield* account(
      depositAddresses !== undefined && "factory" in depositAddresses ? depositAddresses.factory : undefined,
      "depositAddresses.factory"
    )
    const former = yield* Result.all(
      (depositAddresses !== undefined && "factory" in depositAddresses ? depositAddresses.former ?? [] : []).map((
        text,
        index
      ) =>
        Result.mapError(
          codec.parse(text),
          ({ reason }) => new Problem({ message: `chain ${entry.id}: depositAddresses.former[${index}]: ${reason}` })
        )
      )
    )
    if (new Set([factory, ...former]).size < former.length + 1) {
      return yield* problem(entry, "depositAddresses.former names a factory twice, or the current one")
    }
    const forwarder = yield* account(entry.permits?.forwarder, "permits.forwarder")
    const permit2 = yield* account(entry.permits?.permit2, "permits.permit2")
    const confirmations = yield* confirmationsOf(entry)
    const genesisHash = yield* genesisOf(entry, family, families)
    const finality = finalityOf(entry, family.entries.finality)
    const refused = family.entries.refuseFinality(finality)
    if (refused !== undefined) return yield* problem(entry, refused)
    const swaps = entry.swaps === undefined
      ? undefined
      : yield* swapsOf(entry, entry.swaps, currencies, family, families)
    if (native === undefined) {
      return yield* problem(entry, "currencies lacks the native currency")
    }
    if (depository === undefined) {
      return yield* problem(entry, "has no depository")
    }
    if (
      new Set(currencies.map(({ address }) => address)).size < currencies.length
    ) {
      return yield* problem(entry, "lists a currency twice")
    }
    return {
      id: entry.chainId,
      slug: entry.id,
      family: family.rules,
      network: entry.additionalData?.network ?? "mainnet",
      name: entry.additionalData?.displayName ?? entry.id,
      ...(genesisHash === undefined ? {} : { genesisHash }),
      depository,
      router,
      vault,
      ...(factory === undefined ? {} : { depositAddresses: { factory, ...(former.length === 0 ? {} : { former }) } }),
      ...(depositAddresses !== undefined && "keys" in depositAddresses ? { depositAddresses } : {}),
      ...(forwarder === undefined ? {} : { permits: { forwarder, ...(permit2 === undefined ? {} : { permit2 }) } }),
      ...(swaps === undefined ? {} : { swaps }),
      native,
      currencies,
      finality,
      confirmations,
      blockTimeMs: entry.additionalData?.blockTimeMs ?? 12_000,
      explorerUrl: entry.additionalData?.explorerUrl,
      ...(entry.additionalData?.authorizations === undefined
        ? {}
        : { takesAuthorizations: entry.additionalData.authorizations }),
      ...(entry.additionalData?.checkpoint === undefined ? {} : { checkpoint: entry.additionalData.checkpoint }),
      ...(entry.additionalData?.l1DataFee === undefined ? {} : { l1DataFee: entry.additionalData.l1DataFee }),
      ...(entry.additionalData?.expiryMarginSeconds === undefined
        ? {}
        : { expiryMarginSeconds: entry.additionalData.expiryMarginSeconds })
    }
  })
