/** All ports of a transfer on ledgers: eight of its own, and what a ledger does not have by name. */
import { Layer } from "effect"
import type { ListedEndpoints } from "causeway-kit/adapters/endpoints"
import { type ServiceSigners, type TransferPorts, Without } from "causeway-kit/adapters/family"
import * as AddressBalances from "./AddressBalances.ts"
import * as Gas from "./Gas.ts"
import { type Connect, layer as layerRpc } from "./LedgerNode.ts"
import * as Sends from "./Sends.ts"
import * as SentTransactions from "./SentTransactions.ts"
import * as Solver from "./Solver.ts"
import * as Steps from "./Steps.ts"
import * as Treasury from "./Treasury.ts"
import * as Watcher from "./Watcher.ts"

export const layer = (
  connect: Connect,
  endpoints: ListedEndpoints,
  { solver }: Pick<ServiceSigners, "solver">
): Layer.Layer<TransferPorts> =>
  Layer.mergeAll(
    AddressBalances.layer,
    Gas.layer,
    Sends.layer,
    SentTransactions.layer,
    Steps.layer,
    Treasury.layer,
    Watcher.layer,
    Without.withoutContractWallets,
    Without.withoutCredits,
    Without.withoutHubs,
    Without.withoutKeys,
    Without.withoutPermits,
    Without.withoutPriceFeeds,
    Without.withoutSwaps
  ).pipe(Layer.provide([layerRpc(connect, endpoints), Solver.layer(solver)]))
