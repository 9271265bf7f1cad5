/** One entry of the chains file as the domain's chain: addresses, currencies, finality, confirmations, each checked. */
import { Redacted, Result } from "effect"
import { bitcoinPrefixes } from "../../../src/domain/families/bitcoin/BitcoinNetwork.ts"
import { addressCodec } from "../../../src/domain/chain/Address.ts"
import type { Chain, ConfirmationStep, FinalityRule } from "../../../src/domain/chain/Chain.ts"
import { isKeyFamily, keyFamilies } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { parseDecimal } from "../../../src/domain/money/Decimal.ts"
import { Usd, USD_DIGITS } from "../../../src/domain/money/Usd.ts"
import type { ChainEntry } from "./ChainsFile.ts"
import { currencyOf, problem } from "./CurrencyFromEntry.ts"
import { swapsOf } from "./SwapsFromEntry.ts"
import { Problem } from "../Variables.ts"

/** The entry's endpoints; two ways of naming the same one count once. */
export const endpointsOf = (
  entry: Pick<ChainEntry, "id" | "httpRpcUrl" | "rpcQuorum">
): Result.Result<ReadonlyArray<Redacted.Redacted>, Problem> => {
  const listed = typeof entry.httpRpcUrl === "string" ? [entry.httpRpcUrl] : entry.httpRpcUrl
  const urls = [...new Set(listed.flatMap((text) => text.split(",")).map((text) => text.trim()))]
  if (!urls.every((url) => /^https?:\/\//.test(url) && URL.canParse(url))) {
    return problem(entry, "httpRpcUrl holds something that is no http(s) URL")
  }
  if (urls.some((url) => /\$[A-Z]/.test(url))) {
    return problem(entry, "httpRpcUrl has a $VARIABLE inside of a URL: only a whole value can be one")
  }
  if ((entry.rpcQuorum ?? 1) > urls.length) {
    return problem(entry, `rpcQuorum is ${entry.rpcQuorum}, but there are ${urls.length} endpoints`)
  }
  return Result.succeed(urls.map((url) => Redacted.make(url, { label: "rpc-url" })))
}

const isExchange = ({ vmType }: Partial<Pick<ChainEntry, "vmType">>): boolean =>
  vmType === "exchangea-vm" || vmType === "exchangeb-vm"

/**
 * Ten blocks and a minute unless it is said otherwise, on Bitcoin six blocks, on Tron what is solidified; what an
 * exchange shows is final, and it shows no other block.
 */
export const finalityOf = (
  { finality, vmType }: Pick<ChainEntry, "finality"> & Partial<Pick<ChainEntry, "vmType">>
): FinalityRule => {
  if (finality === undefined && vmType !== undefined && isExchange({ vmType })) {
    return { _tag: "Tag", tag: "finalized", seconds: 2 }
  }
  if (finality === undefined && vmType === "tron-vm") return { _tag: "Tag", tag: "finalized", seconds: 60 }
  if (finality === undefined) {
    return vmType === "bitcoin-vm"
      ? { _tag: "Depth", blocks: 6, seconds: 0 }
      : { _tag: "Depth", blocks: 10, seconds: 60 }
  }
  return "tag" in finality
    ? { _tag: "Tag", tag: finality.tag, seconds: finality.seconds ?? 900 }
    : { _tag: "Depth", blocks: finality.blocks, seconds: finality.seconds ?? 60 }
}

/** Ascending, so that the first step that covers a value is its step; more value never needs less. */
const confirmationsOf = (entry: ChainEntry): Result.Result<ReadonlyArray<ConfirmationStep>, Problem> => {
  const steps: Array<ConfirmationStep> = []
  for (const { blocks, upToUsd } of entry.confirmations ?? []) {
    const value = parseDecimal(upToUsd, USD_DIGITS)
    const last = steps.at(-1)
    if (Result.isFailure(value)) return problem(entry, `confirmations: upToUsd "${upToUsd}" is no amount in dollars`)
    if (last !== undefined && (value.success <= last.upToUsd || blocks < last.blocks)) {
      return problem(entry, "confirmations must ascend in upToUsd and in blocks")
    }
    steps.push({ upToUsd: Usd(value.success), blocks })
  }
  return Result.succeed(steps)
}

/**
 * Chains of one network's addresses are told apart by their first block; depth alone decides what is final, as times of
 * blocks are their miners'.
 */
const bitcoinGenesis = (entry: ChainEntry): Result.Result<string, Problem> => {
  const genesis = entry.additionalData?.genesisHash ??
    bitcoinPrefixes[entry.additionalData?.network ?? "mainnet"].genesis
  if (!/^[0-9a-f]{64}$/.test(genesis)) return problem(entry, "genesisHash is not 64 hex digits")
  const rule = finalityOf(entry)
  return rule._tag === "Depth" && rule.seconds === 0
    ? Result.succeed(genesis)
    : problem(entry, "finality must be a number of blocks, with 0 seconds, on Bitcoin")
}

/**
 * Tron's chains are told apart by their number, which is the end of their first block's id; the whole id may be named.
 */
const tronGenesis = (entry: ChainEntry, genesis: string | undefined): Result.Result<string | undefined, Problem> =>
  genesis === undefined || /^[0-9a-f]{64}$/.test(genesis)
    ? Result.succeed(genesis)
    : problem(entry, "genesisHash is not 64 hex digits")

/** Solana's clusters are told apart by their genesis, and everything there is read at commitment finalized. */
const clusterOf = (entry: ChainEntry): Result.Result<string | undefined, Problem> => {
  const genesis = entry.additionalData?.genesisHash
  if (entry.vmType === "bitcoin-vm") return bitcoinGenesis(entry)
  if (entry.vmType === "tron-vm") return tronGenesis(entry, genesis)
  if (entry.vmType !== "solana-vm") {
    return genesis === undefined
      ? Result.succeed(undefined)
      : problem(entry, "genesisHash: only chains of Solana, Bitcoin and Tron have one")
  }
  if (genesis === undefined) return problem(entry, "additionalData lacks the genesisHash of its cluster")
  if (Result.isFailure(addressCodec("solana-vm").parse(genesis))) {
    return problem(entry, "genesisHash is not base58 of 32 bytes")
  }
  const { finality } = entry
  return finality !== undefined && "tag" in finality && finality.tag === "finalized"
    ? Result.succeed(genesis)
    : problem(entry, "finality must be the tag finalized on Solana")
}

export const chainOf = (entry: ChainEntry): Result.Result<Chain, Problem> =>
  Result.gen(function*() {
    const codec = addressCodec(entry.vmType, entry.additionalData?.network)
    const account = (text: string | undefined, field: string) =>
      text === undefined
        ? Result.succeed(undefined)
        : Result.mapError(
          codec.parse(text),
          ({ reason }) => new Problem({ message: `chain ${entry.id}: ${field}: ${reason}` })
        )
    const { depositAddresses } = entry
    if (
      depositAddresses !== undefined && "factory" in depositAddresses && entry.vmType !== "ethereum-vm"
    ) return yield* problem(entry, "depositAddresses: only EVM chains have a factory")
    if (
      depositAddresses !== undefined && "keys" in depositAddresses && !isKeyFamily(entry.vmType)
    ) return yield* problem(entry, `depositAddresses: only ${keyFamilies.join(", ")} chains have derived keys`)
    if (entry.permits !== undefined && entry.vmType !== "ethereum-vm") {
      return yield* problem(entry, "permits: only EVM chains have a Forwarder")
    }
    const currencies = yield* Result.all((entry.currencies ?? []).map((listed) => currencyOf(entry, listed)))
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
        Result.mapError(codec.parse(text), ({ reason }) =>
          new Problem({ message: `chain ${entry.id}: depositAddresses.former[${index}]: ${reason}` }))
      )
    )
    if (new Set([factory, ...former]).size < former.length + 1) {
      return yield* problem(entry, "depositAddresses.former names a factory twice, or the present one")
    }
    const forwarder = yield* account(entry.permits?.forwarder, "permits.forwarder")
    const permit2 = yield* account(entry.permits?.permit2, "permits.permit2")
    const confirmations = yield* confirmationsOf(entry)
    const genesisHash = yield* clusterOf(entry)
    const finality = finalityOf(entry)
    if (isExchange(entry) && finality._tag !== "Tag") {
      return yield* problem(entry, "finality: an exchange tells of no depth; leave it out, or name the tag finalized")
    }
    const swaps = entry.swaps === undefined ? undefined : yield* swapsOf(entry, entry.swaps, currencies)
    if (native === undefined) {
      return yield* problem(entry, "currencies lacks the native currency")
    }
    if (depository === undefined) {
      return yield* problem(entry, "has no depository")
    }
    if (
      new Set(currencies.map(({ address }) =>
        address
      )).size < currencies.length
    ) {
      return yield* problem(entry, "lists a currency twice")
    }
    return {
      id: entry.chainId,
      slug: entry.id,
      family: entry.vmType,
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
      ...(entry.additionalData?.expiryMarginSeconds === undefined
        ? {}
        : { expiryMarginSeconds: entry.additionalData.expiryMarginSeconds })
    }
  })
