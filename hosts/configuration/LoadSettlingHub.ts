/** The hub on which the transfer service settles, from `configs/chains.hub.<ENVIRONMENT>.json`: its chain, its endpoints, its gate. */
import { Effect, Result } from "effect"
import type { Redacted } from "effect"
import type { Hub } from "../../ports/SettlingHub.ts"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import { findChain } from "../../src/domain/chain/Chain.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseDecimal } from "../../src/domain/money/Decimal.ts"
import { loadHubs } from "./LoadHubs.ts"
import type { ConfiguredHub as HubInFile } from "./LoadHubs.ts"
import { Problem } from "./Variables.ts"

export interface ConfiguredHub extends Hub {
  readonly urls: ReadonlyArray<Redacted.Redacted>
  /** Smallest units of the native currency; undefined where nothing is watched. */
  readonly lowWater: bigint | undefined
}

/** Nothing is deposited on a chain that is only a hub: what would be its depository is the hub's own contract. */
const chainOf = ({ blockTimeMs, contract, finality, gate, id, native, slug }: HubInFile): Chain => {
  const currency = {
    chainId: id,
    address: addressCodec("ethereum-vm").nativeCurrency,
    symbol: native.symbol,
    name: native.symbol,
    decimals: native.decimals,
    isNative: true
  }
  return {
    id,
    slug,
    family: "ethereum-vm",
    network: "mainnet",
    name: slug,
    depository: contract,
    router: undefined,
    vault: undefined,
    gate,
    native: currency,
    currencies: [currency],
    finality,
    confirmations: [],
    blockTimeMs,
    explorerUrl: undefined
  }
}

/** `served`: a hub that stands on one of these chains is reached by that chain's endpoints. Fails with one problem. */
export const loadSettlingHub = Effect.fn("configuration.settlingHub")(function*(environment: string, served: ReadonlyArray<Chain>) {
  const [inFile, ...others] = yield* loadHubs(environment)
  if (inFile === undefined || others.length > 0) return yield* new Problem({ message: "ORACLE_URL settles on one hub: the hub configuration must name exactly one" })
  const own = chainOf(inFile)
  const same = findChain(served, own.id)
  const named = served.find(({ slug }) => slug === own.slug)
  if (named !== undefined && named.id !== own.id) return yield* new Problem({ message: `hub ${own.slug}: a chain with another chainId has the same id` })
  const { domain, gate, native, urls } = inFile
  const lowWater = parseDecimal(native.lowWater ?? "0", native.decimals)
  if (Result.isFailure(lowWater)) return yield* new Problem({ message: `hub ${own.slug}: native.lowWater has more decimals than ${native.symbol}` })
  return {
    chain: same === undefined ? own : { ...same, gate },
    gate,
    domain,
    urls,
    lowWater: native.lowWater === undefined ? undefined : lowWater.success
  } satisfies ConfiguredHub
})
