/**
 * The hub on which the transfer service settles, and the hubs on which it settled before, from
 * `configs/chains.hub.<ENVIRONMENT>.json`: their chains, endpoints and gates.
 */
import { protocolFamily } from "../../src/domain/chain/ProtocolFamily.ts"
import { Effect, Result } from "effect"
import type { Redacted } from "effect"
import type { Hub } from "../../ports/hub/SettlingHub.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import { findChain } from "../../src/domain/chain/Chain.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { parseDecimal } from "../../src/domain/money/Decimal.ts"
import { makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { hostOfUrl } from "../../adapters/quorum/Endpoints.ts"
import { loadHubs } from "./LoadHubs.ts"
import type { ConfiguredHub as HubInFile } from "./LoadHubs.ts"
import { Problem } from "./Variables.ts"

export interface ConfiguredHub extends Hub {
  /** The contract that holds the balances. */
  readonly contract: Address
  readonly urls: ReadonlyArray<Redacted.Redacted>
  /** How many endpoints must agree. Undefined when the file gives no number. */
  readonly rpcQuorum: number | undefined
  /** Smallest units of the native currency. Undefined when no low balance is reported. */
  readonly lowWater: bigint | undefined
}

/** A chain that is only a hub takes no deposits. The hub's own contract stands in for its depository. */
export const hubChainOf = (
  { blockTimeMs, contract, finality, gate, id, l1DataFee, native, slug }: HubInFile
): Chain => {
  const currency = {
    chainId: id,
    address: protocolFamily.addresses("mainnet").nativeCurrency,
    symbol: native.symbol,
    name: native.symbol,
    decimals: native.decimals,
    isNative: true
  }
  return {
    id,
    slug,
    family: protocolFamily,
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
    ...(l1DataFee === undefined ? {} : { l1DataFee }),
    explorerUrl: undefined
  }
}

const hubOf = (served: ReadonlyArray<Chain>) => (inFile: HubInFile): Result.Result<ConfiguredHub, Problem> => {
  const own = hubChainOf(inFile)
  const refuse = (why: string) => Result.fail(new Problem({ message: `hub ${own.slug}: ${why}` }))
  const same = findChain(served, own.id)
  const named = served.find(({ slug }) => slug === own.slug)
  if (named !== undefined && named.id !== own.id) return refuse("a chain with another chainId has the same id")
  const { domain, form, gate, native, rpcQuorum, urls } = inFile
  const lowWater = parseDecimal(native.lowWater ?? "0", native.decimals)
  if (Result.isFailure(lowWater)) return refuse(`native.lowWater has more decimals than ${native.symbol}`)
  const quorum = makeEndpointQuorum(urls.map(hostOfUrl), rpcQuorum)
  if (Result.isFailure(quorum)) return refuse(quorum.failure.message)
  return Result.succeed({
    chain: same === undefined ? own : { ...same, gate },
    gate,
    form,
    contract: inFile.contract,
    domain,
    urls,
    rpcQuorum,
    lowWater: native.lowWater === undefined ? undefined : lowWater.success
  })
}

export interface ConfiguredHubs {
  readonly hub: ConfiguredHub
  /** The hubs of the file that get no new submissions. */
  readonly followed: ReadonlyArray<ConfiguredHub>
}

/**
 * Splits the hubs of a file into the one to settle on and the rest. `served`: a hub on one of these chains is reached
 * through that chain's endpoints.
 */
export const settlingHubs = (
  inFile: ReadonlyArray<HubInFile>,
  served: ReadonlyArray<Chain>
): Result.Result<ConfiguredHubs, Problem> => {
  const [hub, ...others] = inFile.filter(({ isRetired }) => !isRetired)
  if (hub === undefined || others.length > 0) {
    return Result.fail(
      new Problem({
        message: "ORACLE_URL settles on one hub: the hub configuration must name exactly one that is not retired"
      })
    )
  }
  return Result.all({
    hub: hubOf(served)(hub),
    followed: Result.all(inFile.filter(({ isRetired }) => isRetired).map(hubOf(served)))
  })
}

/** Fails with one problem. */
export const loadSettlingHub = Effect.fn("configuration.settlingHub")(
  function*(environment: string, served: ReadonlyArray<Chain>) {
    return yield* Effect.fromResult(settlingHubs(yield* loadHubs(environment), served))
  }
)

/** While nothing is settled: every hub of the file. None of them has to be usable. */
export const loadFollowedHubs = (environment: string, served: ReadonlyArray<Chain>) =>
  loadHubs(environment).pipe(
    Effect.flatMap((all) => Effect.fromResult(Result.all(all.map(hubOf(served))))),
    Effect.orElseSucceed((): ReadonlyArray<ConfiguredHub> => [])
  )
