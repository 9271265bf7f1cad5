/** All ports of a transfer on ledgers: nine of its own, and the unsupported ones by name. */
import { Layer } from "effect"
import type { ListedEndpoints } from "causeway-kit/adapters/endpoints"
import { type TransferPorts, UnsupportedPorts } from "causeway-kit/adapters/family"
import * as AddressBalances from "./AddressBalances.ts"
import * as Gas from "./Gas.ts"
import * as Keyring from "./Keyring.ts"
import { type Connect, layer as layerRpc } from "./LedgerNode.ts"
import * as DirectPayments from "./DirectPayments.ts"
import * as SentTransactions from "./SentTransactions.ts"
import * as Solver from "./Solver.ts"
import * as Steps from "./Steps.ts"
import * as Treasury from "./Treasury.ts"
import * as Watcher from "./Watcher.ts"

export const layer = (
  connect: Connect,
  endpoints: ListedEndpoints,
  signers: Solver.LedgerSigners
): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    AddressBalances.layer,
    Gas.layer,
    Keyring.layer,
    DirectPayments.layer,
    SentTransactions.layer,
    Steps.layer,
    Treasury.layer,
    Watcher.layer,
    UnsupportedPorts.withoutContractWallets,
    UnsupportedPorts.withoutCredits,
    UnsupportedPorts.withoutHubs,
    UnsupportedPorts.withoutPermits,
    UnsupportedPorts.withoutPriceFeeds,
    UnsupportedPorts.withoutSwaps
  ).pipe(Layer.provide([layerRpc(connect, endpoints), Solver.layer(signers)]))
