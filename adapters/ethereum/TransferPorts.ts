/** All ports of a transfer on EVM chains, over one client for each chain. */
import { Layer } from "effect"
import { withoutKeys } from "../family/UnsupportedPorts.ts"
import type { ListedEndpoints } from "../endpoints/Rotation.ts"
import type { ServiceSigners, TransferPorts } from "../family/ChainFamily.ts"
import * as HubGate from "./observe/HubGate.ts"
import * as Gas from "./pay/Gas.ts"
import * as SolverAccount from "./pay/SolverAccount.ts"
import * as Treasury from "./pay/Treasury.ts"
import * as ChainlinkFeeds from "./quote/ChainlinkFeeds.ts"
import * as ContractWallets from "./quote/ContractWallets.ts"
import * as PermitTokens from "./quote/PermitTokens.ts"
import * as Steps from "./quote/Steps.ts"
import * as Swaps from "./quote/swaps/index.ts"
import * as EthereumRpc from "./rpc/EthereumRpc.ts"
import * as AddressBalances from "./watch/AddressBalances.ts"
import * as Credits from "./watch/Credits.ts"
import * as DirectPayments from "./watch/DirectPayments.ts"
import * as SentTransactions from "./watch/SentTransactions.ts"
import * as Watcher from "./watch/Watcher.ts"

/** Pays as the solver, from each of its accounts. `operator` sweeps deposit addresses and submits permits. */
export const layer = (endpoints: ListedEndpoints, signers: ServiceSigners): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    AddressBalances.layer,
    ChainlinkFeeds.layer,
    ContractWallets.layer,
    Credits.layer,
    Gas.layer,
    HubGate.layer,
    PermitTokens.layer,
    DirectPayments.layer,
    SentTransactions.layer,
    Steps.layer,
    Swaps.layer,
    Treasury.layer,
    Watcher.layer,
    withoutKeys
  ).pipe(
    Layer.provide([EthereumRpc.layer, SolverAccount.layer(signers)]),
    Layer.provide(Layer.succeed(EthereumRpc.EthereumEndpoints, endpoints))
  )
