/**
 * The transfer service of a simulated world: the layers of its host, over the simulated store, nodes and randomness.
 * API and worker are one process, as on every embedded store. Nothing listens: users call the use case of quoting.
 */
import { ConfigProvider, Context, Effect, Layer } from "effect"
import type { ConnectHttp } from "../../adapters/bitcoin/observe/explorer/ExplorerHttp.ts"
import { ExplorerConnection } from "../../adapters/bitcoin/observe/explorer/ExplorerHttp.ts"
import type { ConnectCore } from "../../adapters/bitcoin/rpc/CoreRpc.ts"
import { CoreConnection } from "../../adapters/bitcoin/rpc/CoreRpc.ts"
import type { ChainFamily } from "../../adapters/family/ChainFamily.ts"
import { withoutWithdrawals } from "../../adapters/family/UnsupportedPorts.ts"
import { makeFacts } from "../../adapters/quorum/index.ts"
import { TronConnection } from "../../adapters/tron/rpc/TronNode.ts"
import type { ConnectTron } from "../../adapters/tron/rpc/TronNode.ts"
import { nativeCurve } from "../../adapters/signing/secp256k1/NativeCurve.ts"
import { ledgerOver } from "../../examples/ledger-vm/adapter/Family.ts"
import type { Connect } from "../../examples/ledger-vm/adapter/LedgerNode.ts"
import * as Observer from "../../examples/ledger-vm/adapter/Observer.ts"
import * as TransferPorts from "../../examples/ledger-vm/adapter/TransferPorts.ts"
import { ConfigsFolder } from "../../hosts/configuration/ConfigsFolder.ts"
import { Families } from "../../hosts/families.ts"
import * as Adapters from "../../hosts/transfer/config/Adapters.ts"
import { Signing } from "../../hosts/transfer/config/Signing.ts"
import * as CheckedChains from "../../hosts/transfer/config/CheckedChains.ts"
import { readEnvironment } from "../../hosts/transfer/config/Environment.ts"
import type { Environment } from "../../hosts/transfer/config/Environment.ts"
import { quoting, workerOf } from "../../hosts/transfer/TransferHost.ts"
import { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import * as Indexing from "../../src/services/deposits/index/Indexing.ts"
import * as Reindexing from "../../src/services/deposit-addresses/Reindexing.ts"
import * as Pausing from "../../src/services/operations/Pausing.ts"
import * as Retrying from "../../src/services/operations/Retrying.ts"
import type * as Quoting from "../../src/services/quoting/Quoting.ts"
import { family as bitcoin } from "./bitcoin/Family.ts"
import type { WorldPrices } from "./faults/Prices.ts"
import type { Hole } from "./holes/Hole.ts"
import { worldSigners } from "./Signers.ts"
import type { Stored } from "./Store.ts"
import { depositSeed, othersOf, slugs, solverKey } from "./Terms.ts"
import type { Families as Served } from "./Terms.ts"
import { family as tron } from "./tron/Family.ts"
import { withoutChance } from "./VirtualTime.ts"

/** How one process reaches the endpoints of all chains, through its own gate. */
export interface Reached {
  readonly ledgers: Connect
  /** Not there in a world of ledgers alone. */
  readonly bitcoin: { readonly core: ConnectCore; readonly explorer: ConnectHttp } | undefined
  /** Not there in a world without Tron. */
  readonly tron: ConnectTron | undefined
}

/** How a process reaches the ledgers' endpoints. */
export const Connecting = Context.Reference<Connect>("simulation/Connecting", {
  defaultValue: () => () => Effect.die(new Error("outside of a simulated process"))
})

const connect: Connect = (url) => Effect.flatMap(Connecting, (through) => through(url))

/** The ledger's family without late imports, which no virtual clock can wait for. */
const ledger: ChainFamily = {
  ...ledgerOver(connect),
  observe: {
    variables: [],
    read: () =>
      Effect.succeed({
        warnings: [],
        observers: (of) => Layer.merge(Observer.layer(connect, { of }), withoutWithdrawals),
        facts: (of) => Layer.effect(ChainFacts, makeFacts(Observer.check(connect), of))
      })
  },
  transfer: {
    variables: [],
    read: () =>
      Effect.succeed({ keys: [], ports: ({ endpoints, signers }) => TransferPorts.layer(connect, endpoints, signers) })
  }
}

/** The settings of every simulated service. Files are read here, so before any run; libsecp256k1 too. */
const settings = (served: Served): Effect.Effect<Environment, unknown> =>
  readEnvironment.pipe(
    Effect.tap(Effect.promise(() => nativeCurve())),
    Effect.provide([
      ConfigProvider.layer(ConfigProvider.fromEnvRecord({
        ENVIRONMENT: "local",
        CHAINS: [...slugs, ...othersOf(served)].join(","),
        SOLVER_PRIVATE_KEY: solverKey,
        DEPOSIT_ADDRESS_SEED: depositSeed,
        DATABASE_URL: "sqlite::memory:",
        // Faults move from endpoint to endpoint: each of a chain's three contradicts the others at some time.
        ENDPOINT_LEFT_OUT_MINUTES: "1",
        // Below it one endpoint is enough, and what it invents is a loss that the operator has accepted.
        QUORUM_FROM_USD: "0",
        // There is no hub that credits depositors: what a restored store has forgotten to be theirs is refunded.
        DROPPED_ADDRESS_REFUNDS_USD: "1000"
      })),
      Layer.succeed(Families, [ledger, bitcoin, tron]),
      Layer.succeed(ConfigsFolder, new URL("./configs/", import.meta.url))
    ])
  )

/** The use cases that users and operators call. */
export type ServiceParts =
  | Quoting.Quoting
  | Indexing.Indexing
  | Pausing.Pausing
  | Reindexing.Reindexing
  | Retrying.Retrying

/** The same service with deposit addresses on these chains only: on others nothing is kept ready or watched for them. */
export const withAddressesOn = (
  { configured, ...others }: Environment,
  hasAddresses: (slug: string) => boolean
): Environment => ({
  ...others,
  configured: {
    ...configured,
    chains: configured.chains.map(({ depositAddresses, ...chain }) =>
      depositAddresses !== undefined && hasAddresses(chain.slug) ? { ...chain, depositAddresses } : chain
    )
  }
})

/** One process of the service. `stored`: its ports of the store. */
export const layerService = (
  environment: Environment,
  stored: Layer.Layer<Stored, unknown>,
  { bitcoin: throughBitcoin, ledgers, tron: throughTron }: Reached,
  hole: Hole,
  prices: WorldPrices
) =>
  Layer.mergeAll(
    quoting(environment),
    Indexing.layer,
    Pausing.layer,
    Reindexing.layer,
    Retrying.layer,
    workerOf(environment)
  ).pipe(
    Layer.provide(hole),
    Layer.provide(prices.layer),
    Layer.provideMerge(Adapters.layerWith(environment, stored)),
    Layer.provide(CheckedChains.layer(environment)),
    Layer.provide(Layer.succeed(Connecting, ledgers)),
    Layer.provide(Layer.succeed(Signing, worldSigners)),
    Layer.provide(throughTron === undefined ? Layer.empty : Layer.succeed(TronConnection, throughTron)),
    Layer.provide(
      throughBitcoin === undefined
        ? Layer.empty
        : Layer.mergeAll(
          Layer.succeed(CoreConnection, throughBitcoin.core),
          Layer.succeed(ExplorerConnection, throughBitcoin.explorer)
        )
    )
  )

/** Other chains are left out of a world of ledgers alone. */
export const readSettings = (served: Served = "ledger"): Promise<Environment> =>
  withoutChance(() => Effect.runPromise(settings(served)))
