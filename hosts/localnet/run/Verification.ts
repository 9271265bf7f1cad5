/**
 * Checks that the running chains match configs/chains.local.json: the same ids, and one of our contracts at every
 * address in it.
 *
 * The configuration is written by hand and read by the services; the addresses follow from the deployment. This check
 * finds differences.
 */
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Address } from "viem"
import { zeroAddress } from "viem"
import { isAddressEqual } from "viem/utils"
import { addressOf, hubAddressOf, permit2, tokens } from "../nodes/ethereum/Addresses.ts"
import type { Anvil, AnvilError } from "../nodes/ethereum/Anvil.ts"
import type { Chains } from "./Chains.ts"
import { depositFactory } from "../nodes/ethereum/DepositFactory.ts"
import { LocalnetError, reasonOf } from "./LocalnetError.ts"
import { packageRoot } from "./state/Paths.ts"
import { chainIdOf, evmSlugs } from "./Slug.ts"
import { program } from "../nodes/solana/DepositoryProgram.ts"
import { program as swapDepositor } from "../nodes/solana/SwapDepositorProgram.ts"
import { mints } from "../nodes/solana/Mints.ts"
import { solanaChainId, solanaSlug } from "../nodes/solana/SolanaChain.ts"

const AddressText = Schema.TemplateLiteral(["0x", Schema.String]).check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/))

const EvmEntry = Schema.Struct({
  id: Schema.String,
  vmType: Schema.Literal("ethereum-vm"),
  chainId: Schema.Int,
  depository: Schema.optionalKey(AddressText),
  router: Schema.optionalKey(AddressText),
  depositAddresses: Schema.optionalKey(Schema.Struct({ factory: AddressText })),
  permits: Schema.optionalKey(Schema.Struct({ forwarder: AddressText, permit2: AddressText })),
  swaps: Schema.optionalKey(Schema.Struct({
    wrapped: AddressText,
    depositor: Schema.optionalKey(AddressText),
    handover: Schema.optionalKey(AddressText),
    sources: Schema.Array(
      Schema.Struct({ id: Schema.String, router: AddressText, quoter: Schema.optionalKey(AddressText) })
    ),
    currencies: Schema.Array(Schema.Struct({ address: AddressText }))
  })),
  currencies: Schema.Array(Schema.Struct({ symbol: Schema.String, address: Schema.String, decimals: Schema.Int })),
  additionalData: Schema.Struct({ vault: Schema.optionalKey(AddressText) })
})
type Entry = typeof EvmEntry.Type

const SolanaEntry = Schema.Struct({
  id: Schema.String,
  vmType: Schema.Literal("solana-vm"),
  chainId: Schema.Int,
  depository: Schema.String,
  swaps: Schema.optionalKey(Schema.Struct({ depositor: Schema.optionalKey(Schema.String) })),
  currencies: Schema.Array(Schema.Struct({ symbol: Schema.String, address: Schema.String, decimals: Schema.Int }))
})

/** Entries without deployed contracts that could differ. */
const OtherEntry = Schema.Struct({
  id: Schema.String,
  vmType: Schema.Literals(["bitcoin-vm", "tron-vm", "exchangea-vm", "exchangeb-vm"])
})

const Configuration = Schema.fromJsonString(Schema.Array(Schema.Union([EvmEntry, SolanaEntry, OtherEntry])))

export const configurationFile = join(packageRoot, "configs", "chains.local.json")

const read: Effect.Effect<typeof Configuration.Type, LocalnetError> = Effect.try({
  try: () => readFileSync(configurationFile, "utf8"),
  catch: reasonOf
}).pipe(
  Effect.flatMap(Schema.decodeUnknownEffect(Configuration)),
  Effect.mapError((error) => new LocalnetError({ message: `${configurationFile}: ${reasonOf(error)}` }))
)

const differs = (named: Address | undefined, expected: Address) =>
  named === undefined || !isAddressEqual(named, expected)

const sourceOf = ({ swaps }: Entry, id: string) => swaps?.sources.find((source) => source.id === id)

/** The differences between a configuration entry and the constants of Addresses.ts, one line each. Pure. */
const differences = (slug: (typeof evmSlugs)[number], entry: Entry | undefined): ReadonlyArray<string> => {
  if (entry === undefined) return [`${slug} is missing`]
  const wanted: ReadonlyArray<readonly [string, Address | undefined, Address]> = [
    ["depository", entry.depository, addressOf("Depository")],
    ["router", entry.router, addressOf("Router")],
    ["depositAddresses.factory", entry.depositAddresses?.factory, depositFactory],
    ["permits.forwarder", entry.permits?.forwarder, addressOf("Forwarder")],
    ["permits.permit2", entry.permits?.permit2, permit2],
    ["additionalData.vault", entry.additionalData.vault, addressOf("Vault")],
    ["swaps.wrapped", entry.swaps?.wrapped, addressOf("TestWETH")],
    ["swaps.depositor", entry.swaps?.depositor, addressOf("SwapDepositor")],
    ["swaps.handover", entry.swaps?.handover, addressOf("Handover")],
    ["swaps: uniswap-v2's router", sourceOf(entry, "uniswap-v2")?.router, addressOf("UniswapV2Router02")],
    ["swaps: uniswap-v3's router", sourceOf(entry, "uniswap-v3")?.router, addressOf("SwapRouter")],
    ["swaps: uniswap-v3's quoter", sourceOf(entry, "uniswap-v3")?.quoter, addressOf("QuoterV2")],
    ["swaps.currencies", entry.swaps?.currencies[0]?.address, addressOf("TestGEM")]
  ]
  const known = new Map(entry.currencies.map((currency) => [currency.symbol, currency]))
  return [
    ...(entry.chainId === chainIdOf[slug] ? [] : [`${slug}.chainId is ${entry.chainId} instead of ${chainIdOf[slug]}`]),
    ...wanted.filter(([, named, expected]) => differs(named, expected))
      .map(([name, named, expected]) => `${slug}.${name} is ${named} instead of ${expected}`),
    ...tokens.filter(({ contract, decimals, symbol }) => {
      const currency = known.get(symbol)
      return currency?.address.toLowerCase() !== addressOf(contract).toLowerCase() || currency.decimals !== decimals
    }).map(({ contract, symbol }) => `${slug}.currencies: ${symbol} is not ${addressOf(contract)}`)
  ]
}

/** The same for Solana, whose genesis places programs and tokens. */
const solanaDifferences = (entry: typeof SolanaEntry.Type | undefined): ReadonlyArray<string> => {
  if (entry === undefined) return [`${solanaSlug} is missing`]
  const known = new Map(entry.currencies.map((currency) => [currency.symbol, currency]))
  return [
    ...(entry.chainId === solanaChainId
      ? []
      : [`${solanaSlug}.chainId is ${entry.chainId} instead of ${solanaChainId}`]),
    ...(entry.depository === program ? [] : [`${solanaSlug}.depository is ${entry.depository} instead of ${program}`]),
    ...(entry.swaps?.depositor === swapDepositor
      ? []
      : [`${solanaSlug}.swaps.depositor is ${entry.swaps?.depositor ?? "missing"} instead of ${swapDepositor}`]),
    ...mints.filter(({ address, decimals, symbol }) =>
      known.get(symbol)?.address !== address || known.get(symbol)?.decimals !== decimals
    )
      .map(({ address, symbol }) => `${solanaSlug}.currencies: ${symbol} is not ${address}`)
  ]
}

const withoutCode = Effect.fnUntraced(function*(chain: Anvil, slug: string, entry: Entry) {
  const contracts = [
    entry.depository,
    entry.router,
    entry.depositAddresses?.factory,
    entry.permits?.forwarder,
    entry.permits?.permit2,
    entry.swaps?.depositor,
    entry.additionalData.vault
  ]
  const swaps = (entry.swaps?.sources ?? []).flatMap(({ quoter, router }) => [quoter, router])
  const named = [
    ...contracts,
    ...swaps,
    entry.swaps?.handover,
    ...(entry.swaps?.currencies ?? []).map(({ address }) => address),
    ...entry.currencies.map(({ address }) => address)
  ]
  const missing: Array<string> = []
  for (const address of named) {
    if (address === undefined || address === zeroAddress) continue
    if ((yield* chain.request("eth_getCode", [address, "latest"])) === "0x") {
      missing.push(`${slug} has no contract at ${address}`)
    }
  }
  return missing
})

const HubConfiguration = Schema.fromJsonString(Schema.Array(Schema.Struct({
  additionalData: Schema.Struct({ hubAddress: AddressText, oracleAddress: AddressText })
})))

const hubFile = join(packageRoot, "configs", "chains.hub.local.json")

/** The differences between the hub's file and the hub chain. */
const hubProblems = Effect.fnUntraced(function*(hub: Anvil) {
  const [entry] = yield* Effect.try({ try: () => readFileSync(hubFile, "utf8"), catch: reasonOf }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(HubConfiguration)),
    Effect.mapError((error) => new LocalnetError({ message: `${hubFile}: ${reasonOf(error)}` }))
  )
  const named = [["Hub", entry?.additionalData.hubAddress], [
    "OracleGate",
    entry?.additionalData.oracleAddress
  ]] as const
  const problems: Array<string> = []
  for (const [contract, address] of named) {
    const expected = hubAddressOf(contract)
    if (differs(address, expected)) problems.push(`hub: ${contract} is ${address} instead of ${expected}`)
    else if ((yield* hub.request("eth_getCode", [expected, "latest"])) === "0x") {
      problems.push(`hub has no contract at ${expected}`)
    }
  }
  return problems
})

/** Errors: all differences, in one message. */
export const verify = Effect.fn("Verification.verify")(
  function*(chains: Chains): Effect.fn.Return<void, LocalnetError | AnvilError> {
    const entries = yield* read
    const [evm, solana] = [
      entries.filter((each) => each.vmType === "ethereum-vm"),
      entries.filter((each) => each.vmType === "solana-vm")
    ]
    const problems: Array<string> = []
    for (const slug of evmSlugs) {
      const entry = evm.find(({ id }) => id === slug)
      problems.push(...differences(slug, entry))
      if (entry !== undefined) problems.push(...(yield* withoutCode(chains[slug], slug, entry)))
    }
    problems.push(...solanaDifferences(solana.find(({ id }) => id === solanaSlug)))
    problems.push(...(yield* hubProblems(chains.hub)))
    if (problems.length > 0) {
      return yield* new LocalnetError({
        message: `${configurationFile} and the local chains differ:\n  ${problems.join("\n  ")}`
      })
    }
  }
)
