/** All ports of a transfer on exchange B, over one client for each endpoint. */
import { Effect, Layer } from "effect"
import type { Secp256k1Signer } from "../../ports/signing/Signer.ts"
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
import { DepositoryAccess } from "./DepositoryAccess.ts"
import * as Gas from "./pay/Gas.ts"
import { localRollupSigner } from "./pay/rollup/LocalRollupSigner.ts"
import type { RollupAccount } from "./pay/rollup/LocalRollupSigner.ts"
import * as SentTransactions from "./pay/SentTransactions.ts"
import * as SolverAccount from "./pay/SolverAccount.ts"
import * as Treasury from "./pay/Treasury.ts"
import * as Steps from "./quote/Steps.ts"
import * as ExchangeBRpc from "./rpc/ExchangeBRpc.ts"
import * as DirectPayments from "./watch/DirectPayments.ts"
import * as Watcher from "./watch/Watcher.ts"

export interface Solver {
  /** Signs for the Ethereum account that owns the account. */
  readonly owner: Effect.Effect<Secp256k1Signer>
  readonly rollup: RollupAccount
}

const layerSolver = ({ owner, rollup }: Solver) =>
  Layer.unwrap(Effect.gen(function*() {
    const signer = yield* owner
    return SolverAccount.layer(BigInt(rollup.account), signer, yield* localRollupSigner(rollup))
  }))

export const layer = (
  endpoints: ExchangeBRpc.ExchangeBEndpoints["Service"],
  access: DepositoryAccess["Service"],
  solver: Solver
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
    Layer.provide([ExchangeBRpc.layer, layerSolver(solver), Layer.succeed(DepositoryAccess, access)]),
    Layer.provide(Layer.succeed(ExchangeBRpc.ExchangeBEndpoints, endpoints))
  )
