/** All ports of a transfer on Tron, over one client for each chain. */
import { Effect, Layer } from "effect"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
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
import * as Keyring from "./addresses/Keyring.ts"
import * as TronPrices from "./cost/TronPrices.ts"
import * as Gas from "./pay/Gas.ts"
import * as SentTransactions from "./pay/SentTransactions.ts"
import * as SolverAccount from "./pay/SolverAccount.ts"
import * as Treasury from "./pay/Treasury.ts"
import * as Steps from "./quote/Steps.ts"
import * as TronRpc from "./rpc/TronRpc.ts"
import * as DirectPayments from "./watch/DirectPayments.ts"
import * as Watcher from "./watch/Watcher.ts"

export interface TronTransfers extends Pick<ServiceSigners, "deposits"> {
  readonly solver: Effect.Effect<Secp256k1Signer>
  /** Of a payment, minutes of chain time. */
  readonly lifetimeMinutes: number
}

export const layer = (
  endpoints: ListedEndpoints,
  { deposits, lifetimeMinutes, solver }: TronTransfers
): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    AddressBalances.layer,
    DirectPayments.layer,
    Gas.layer,
    Keyring.layer,
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
    Layer.provide([
      Layer.unwrap(
        Effect.map(solver, (signer) => SolverAccount.layer(signer, lifetimeMinutes, deposits?.secp256k1))
      ),
      TronPrices.layer
    ]),
    Layer.provide(TronRpc.layer),
    Layer.provide(Layer.succeed(TronRpc.TronEndpoints, endpoints))
  )
