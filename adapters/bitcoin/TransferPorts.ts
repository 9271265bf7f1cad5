/** All ports of a transfer on Bitcoin, over one client for each chain and one explorer. */
import { Effect, Layer } from "effect"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
import type { ChainNetwork } from "../../src/domain/chain/ChainNetwork.ts"
import { nobleCurve } from "../../src/domain/encoding/NobleCurve.ts"
import { bitcoin } from "../../src/domain/families/bitcoin/Rules.ts"
import type { ListedEndpoints } from "../endpoints/Rotation.ts"
import type { ServiceSigners, TransferPorts } from "../family/ChainFamily.ts"
import {
  withoutContractWallets,
  withoutCredits,
  withoutHubs,
  withoutPermits,
  withoutPriceFeeds,
  withoutSwaps
} from "../family/UnsupportedPorts.ts"
import * as AddressBalances from "./addresses/AddressBalances.ts"
import * as AddressCoins from "./addresses/AddressCoins.ts"
import * as Keyring from "./addresses/Keyring.ts"
import * as ListCoins from "./coins/ListCoins.ts"
import * as BitcoinExplorer from "./observe/explorer/BitcoinExplorer.ts"
import type { ExplorerSettings } from "./observe/explorer/Explorer.ts"
import { nativeCurve } from "../signing/secp256k1/NativeCurve.ts"
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

export interface BitcoinTransfers extends Pick<ServiceSigners, "deposits"> {
  /** Of the one chain that is served. */
  readonly network: ChainNetwork
  readonly explorer: ExplorerSettings
  readonly rates: RateSettings
  /** Pays from its P2WPKH address. */
  readonly solver: Effect.Effect<Secp256k1Signer>
}

/** SECURITY: the account is known only by a signature, so a signer that does not sign ends the start. */
const layerAccount = ({ deposits, solver }: Pick<BitcoinTransfers, "deposits" | "solver">) =>
  Layer.effect(
    SolverAccount.SolverAccount,
    Effect.gen(function*() {
      const curve = (yield* Effect.promise(() => nativeCurve())) ?? nobleCurve
      return {
        account: yield* Effect.orDie(SolverAccount.keyAccount(curve, yield* solver)),
        pool: SolverAccount.usualPool,
        depositAccount: deposits === undefined
          ? undefined
          : SolverAccount.depositAccounts(curve, deposits.secp256k1, bitcoin)
      }
    })
  )

export const layer = (
  endpoints: ListedEndpoints,
  { deposits, explorer, network, rates, solver }: BitcoinTransfers
): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    AddressBalances.layer,
    DirectPayments.layer,
    Gas.layer,
    Keyring.layer(network),
    SentTransactions.layer,
    Steps.layer,
    Treasury.layer,
    Watcher.layer,
    withoutContractWallets,
    withoutCredits,
    withoutHubs,
    withoutPermits,
    withoutPriceFeeds,
    withoutSwaps
  ).pipe(
    Layer.provide(AddressCoins.layer),
    Layer.provide([layerAccount({ deposits, solver }), ListCoins.layer, Rates.layer(rates)]),
    Layer.provide([BitcoinRpc.layer, BitcoinExplorer.layer(explorer)]),
    Layer.provide(Layer.succeed(BitcoinRpc.BitcoinEndpoints, endpoints))
  )
