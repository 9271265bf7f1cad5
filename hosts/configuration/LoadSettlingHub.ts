/** The hub on which the transfer service settles, from `configs/chains.hub.<ENVIRONMENT>.json`: its chain, its endpoints, its gate. */
import { Effect, Redacted, Result } from "effect"
import type { Hub } from "../../ports/SettlingHub.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import { addressCodec } from "../../src/domain/chain/Address.ts"
import { findChain } from "../../src/domain/chain/Chain.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { parseDecimal } from "../../src/domain/money/Decimal.ts"
import { finalityOf } from "./ChainFromEntry.ts"
import { domainOf, readHubs } from "./LoadHubs.ts"
import type { HubEntry } from "./LoadHubs.ts"
import { Problem } from "./Variables.ts"

export interface ConfiguredHub extends Hub {
  readonly urls: ReadonlyArray<Redacted.Redacted>
  /** Smallest units of the native currency; undefined where nothing is watched. */
  readonly lowWater: bigint | undefined
}

/** Nothing is deposited on a chain that is only a hub: what would be its depository is the hub's own contract. */
const chainOf = ({ additionalData: { blockTimeMs, hubAddress, native }, chainId, finality, id }: HubEntry, gate: Address): Chain => {
  const currency = {
    chainId: ChainId.make(chainId),
    address: addressCodec("ethereum-vm").nativeCurrency,
    symbol: native?.symbol ?? "ETH",
    name: native?.symbol ?? "Ether",
    decimals: native?.decimals ?? 18,
    isNative: true
  }
  return {
    id: currency.chainId,
    slug: id,
    family: "ethereum-vm",
    network: "mainnet",
    name: id,
    depository: hubAddress,
    router: undefined,
    vault: undefined,
    gate,
    native: currency,
    currencies: [currency],
    finality: finalityOf(finality === undefined ? {} : { finality }),
    confirmations: [],
    blockTimeMs: blockTimeMs ?? 12_000,
    explorerUrl: undefined
  }
}

/** `served`: a hub that stands on one of these chains is reached by that chain's endpoints. Fails with one problem. */
export const loadSettlingHub = Effect.fn("configuration.settlementHub")(function*(environment: string, served: ReadonlyArray<Chain>) {
  const [entry, ...others] = yield* readHubs(environment)
  if (entry === undefined || others.length > 0) return yield* new Problem({ message: "ORACLE_URL settles on one hub: the hub configuration must name exactly one" })
  const gate = entry.additionalData.oracleAddress
  const own = chainOf(entry, gate)
  const same = findChain(served, own.id)
  const named = served.find(({ slug }) => slug === own.slug)
  if (named !== undefined && named.id !== own.id) return yield* new Problem({ message: `hub ${own.slug}: a chain with another chainId has the same id` })
  const lowWater = parseDecimal(entry.additionalData.native?.lowWater ?? "0", own.native.decimals)
  if (Result.isFailure(lowWater)) return yield* new Problem({ message: `hub ${own.slug}: native.lowWater has more decimals than ${own.native.symbol}` })
  return {
    chain: same === undefined ? own : { ...same, gate },
    gate,
    domain: domainOf(entry),
    urls: entry.httpRpcUrl.split(",").map((url) => Redacted.make(url.trim(), { label: "rpc-url" })),
    lowWater: entry.additionalData.native?.lowWater === undefined ? undefined : lowWater.success
  } satisfies ConfiguredHub
})
