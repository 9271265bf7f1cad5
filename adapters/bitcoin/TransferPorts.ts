/** All ports of a transfer on Bitcoin, over one client for each chain and one explorer. */
import { Effect, Layer } from "effect"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
import type { ListedEndpoints } from "../endpoints/Rotation.ts"
import type { TransferPorts } from "../family/ChainFamily.ts"
import {
  withoutAddressBalances,
  withoutContractWallets,
  withoutCredits,
  withoutHubs,
  withoutKeys,
  withoutPermits,
  withoutPriceFeeds,
  withoutSwaps
} from "../family/UnsupportedPorts.ts"
import * as ListCoins from "./coins/ListCoins.ts"
import * as BitcoinExplorer from "./observe/explorer/BitcoinExplorer.ts"
import type { ExplorerSettings } from "./observe/explorer/Explorer.ts"
import * as Gas from "./pay/Gas.ts"
import * as SentTransactions from "./pay/SentTransactions.ts"
import * as SolverAccount from "./pay/SolverAccount.ts"
import * as Treasury from "./pay/Treasury.ts"
import * as Steps from "./quote/Steps.ts"
import * as Rates from "./rate/Rates.ts"
import type { RateSettings } from "./rate/Rates.ts"
import * as BitcoinRpc from "./rpc/BitcoinRpc.ts"
import * as DirectPayments from "./watch/DirectPayments.ts"
import * as Watcher from "./watch/Watcher.ts"

export interface BitcoinTransfers {
  readonly explorer: ExplorerSettings
  readonly rates: RateSettings
  /** Pays from its P2WPKH address. */
  readonly solver: Effect.Effect<Secp256k1Signer>
}

/** SECURITY: the account is known only by a signature, so a signer that does not sign ends the start. */
const layerAccount = (solver: BitcoinTransfers["solver"]) =>
  Layer.effect(
    SolverAccount.SolverAccount,
    Effect.map(
      Effect.orDie(Effect.flatMap(solver, SolverAccount.keyAccount)),
      (account) => ({ account, pool: SolverAccount.usualPool })
    )
  )

export const layer = (
  endpoints: ListedEndpoints,
  { explorer, rates, solver }: BitcoinTransfers
): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    DirectPayments.layer,
    Gas.layer,
    SentTransactions.layer,
    Steps.layer,
    Treasury.layer,
    Watcher.layer,
    withoutAddressBalances,
    withoutContractWallets,
    withoutCredits,
    withoutHubs,
    withoutKeys,
    withoutPermits,
    withoutPriceFeeds,
    withoutSwaps
  ).pipe(
    Layer.provide([layerAccount(solver), ListCoins.layer, Rates.layer(rates)]),
    Layer.provide([BitcoinRpc.layer, BitcoinExplorer.layer(explorer)]),
    Layer.provide(Layer.succeed(BitcoinRpc.BitcoinEndpoints, endpoints))
  )
