/** Which adapter stands behind which port, for both hosts: the one place where the transfer service's choices are made. */
import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"
import { EthereumEndpoints } from "../../adapters/ethereum/EthereumRpc.ts"
import * as EthereumRpc from "../../adapters/ethereum/EthereumRpc.ts"
import * as EthereumGas from "../../adapters/ethereum/Gas.ts"
import * as SolverAccount from "../../adapters/ethereum/SolverAccount.ts"
import * as EthereumSteps from "../../adapters/ethereum/Steps.ts"
import * as EthereumTreasury from "../../adapters/ethereum/Treasury.ts"
import * as EthereumWatcher from "../../adapters/ethereum/Watcher.ts"
import * as FixedPrices from "../../adapters/prices/FixedPrices.ts"
import * as LocalOrderSigner from "../../adapters/signing/LocalOrderSigner.ts"
import * as SqlDeposits from "../../adapters/storage/Deposits.ts"
import * as SqlPayments from "../../adapters/storage/Payments.ts"
import * as SqlTransfers from "../../adapters/storage/Transfers.ts"
import { layerDatabase } from "../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../adapters/storage/migrations/index.ts"
import { Chains } from "../../ports/Chains.ts"
import { priceKey } from "../configuration/LoadChains.ts"
import type { Environment } from "./Environment.ts"

/** The store, brought up to date before anybody uses it. */
const storage = ({ databaseUrl }: Environment) =>
  Layer.mergeAll(SqlTransfers.layer, SqlDeposits.layer, SqlPayments.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(layerDatabase(databaseUrl))
  )

const ethereum = ({ configured, solverKey }: Environment) =>
  Layer.mergeAll(EthereumWatcher.layer, EthereumTreasury.layer, EthereumSteps.layer, EthereumGas.layer).pipe(
    Layer.provide([EthereumRpc.layer, SolverAccount.layer(solverKey)]),
    Layer.provide(Layer.succeed(EthereumEndpoints, { urls: configured.urls }))
  )

export const layer = (environment: Environment) => {
  const { configured, solverKey } = environment
  return Layer.mergeAll(
    Layer.succeed(Chains, { all: configured.chains, settlement: configured.settlement }),
    FixedPrices.layer((currency) => configured.fixedPrices.get(priceKey(currency))),
    LocalOrderSigner.layer(solverKey),
    ethereum(environment),
    storage(environment),
    NodeCrypto.layer
  )
}
