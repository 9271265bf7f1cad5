/** All ports of a transfer on exchange A, over one client for each endpoint. */
import { Effect, Layer } from "effect"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
import type { FamilyStores, ServiceSigners, TransferPorts } from "../family/ChainFamily.ts"
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
import * as LostSweeps from "./addresses/LostSweeps.ts"
import * as Gas from "./pay/Gas.ts"
import * as SentTransactions from "./pay/SentTransactions.ts"
import * as SolverAccount from "./pay/SolverAccount.ts"
import * as Treasury from "./pay/Treasury.ts"
import * as Steps from "./quote/Steps.ts"
import * as ExchangeARpc from "./rpc/ExchangeARpc.ts"
import * as DirectPayments from "./watch/DirectPayments.ts"
import * as Watcher from "./watch/Watcher.ts"

export const layer = (
  endpoints: ExchangeARpc.ExchangeAEndpoints["Service"],
  { deposits, solver }: Pick<ServiceSigners, "deposits"> & { readonly solver: Effect.Effect<Secp256k1Signer> }
): Layer.Layer<TransferPorts, never, FamilyStores> =>
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
    Layer.provide(LostSweeps.layer),
    Layer.provide(Layer.unwrap(Effect.map(solver, (signer) => SolverAccount.layer(signer, deposits?.secp256k1)))),
    Layer.provide(ExchangeARpc.layer),
    Layer.provide(Layer.succeed(ExchangeARpc.ExchangeAEndpoints, endpoints))
  )
