/** All ports of a transfer on Solana, over one client for each cluster. */
import { Layer } from "effect"
import type { Ed25519Signer } from "../../ports/signing/Signer.ts"
import type { ListedEndpoints } from "../endpoints/Rotation.ts"
import type { ServiceSigners, TransferPorts } from "../family/ChainFamily.ts"
import {
  withoutContractWallets,
  withoutCredits,
  withoutHubs,
  withoutPermits,
  withoutPriceFeeds
} from "../family/UnsupportedPorts.ts"
import * as Gas from "./pay/Gas.ts"
import * as Keyring from "./pay/Keyring.ts"
import * as SolverAccount from "./pay/SolverAccount.ts"
import * as Treasury from "./pay/Treasury.ts"
import * as Jupiter from "./quote/jupiter/index.ts"
import * as Steps from "./quote/Steps.ts"
import * as SolanaRpc from "./rpc/SolanaRpc.ts"
import * as AddressBalances from "./watch/AddressBalances.ts"
import * as DirectPayments from "./watch/DirectPayments.ts"
import * as SentTransactions from "./watch/SentTransactions.ts"
import * as Watcher from "./watch/Watcher.ts"

/** `solver` pays. Deposit addresses are keys of the service's seed. `jupiter`: the server for swap routes. */
export const layer = (
  endpoints: ListedEndpoints,
  { deposits }: Pick<ServiceSigners, "deposits">,
  { jupiter, solver }: { readonly solver: Ed25519Signer; readonly jupiter: Jupiter.JupiterServer["Service"] }
): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    AddressBalances.layer,
    Gas.layer,
    Jupiter.layer,
    Keyring.layer,
    DirectPayments.layer,
    SentTransactions.layer,
    Steps.layer,
    Treasury.layer,
    Watcher.layer,
    withoutContractWallets,
    withoutCredits,
    withoutHubs,
    withoutPermits,
    withoutPriceFeeds
  ).pipe(
    Layer.provide(SolanaRpc.layer),
    Layer.provide([
      Layer.succeed(SolanaRpc.SolanaEndpoints, endpoints),
      SolverAccount.layer(solver, deposits?.ed25519),
      Layer.succeed(Jupiter.JupiterServer, jupiter)
    ])
  )
