/** A local Bitcoin chain with a solver that has coins, and the ports of its payments over one node and the explorer. */
import { Effect, Layer, Redacted } from "effect"
import { keyOfName } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { PoolRule } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import { layer as layerCoins } from "../coins/ListCoins.ts"
import { layer as layerExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { layer as layerGas } from "../pay/Gas.ts"
import { layer as layerSent } from "../pay/SentTransactions.ts"
import { SolverAccount, usualPool } from "../pay/SolverAccount.ts"
import { layer as layerTreasury } from "../pay/Treasury.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinEndpoints, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { layer as layerWatcher } from "../watch/Watcher.ts"
import { account, startLocalBitcoin } from "./LocalBitcoin.ts"

export const solver = keyOfName("causeway.contracts.bitcoin.solver")

/** Small, so that it runs out. */
const pool: PoolRule = { ...usualPool, coins: 4, least: 500_000n, cluster: 5 }

/** `coins`: in blocks, of 0.1 BTC each. `more`: nodes beside the first one, which are preferred to it. */
export const startPayingBitcoin = Effect.fnUntraced(function*(coins: number, more: number = 0) {
  const local = yield* startLocalBitcoin
  const nodes = yield* Effect.forEach(Array.from({ length: more }), () => local.addNode)
  const spendable = yield* Effect.forEach(Array.from({ length: coins }), () => local.coin(solver))
  const state = { rate: FeeRate(2_000n), isSigning: true }
  const signer = {
    script: solver.script,
    publicKey: solver.publicKey,
    sign: (digest: Uint8Array) =>
      Effect.suspend(() =>
        state.isSigning ? Effect.succeed(solver.sign(digest)) : Effect.fail(new SignerUnavailable({ fault: "refused" }))
      )
  }
  const own: Address = account(solver.address)
  const { bitcoin, explorerUrl, url } = local
  const ports = Layer.mergeAll(layerGas, layerSent, layerTreasury, layerWatcher).pipe(
    Layer.provideMerge(layerCoins),
    Layer.provideMerge(Layer.mergeAll(
      layerRpc,
      layerExplorer({ url: Redacted.make(explorerUrl), access: { _tag: "Open" } }),
      Layer.succeed(BitcoinRates, { rate: () => Effect.sync(() => state.rate) }),
      Layer.succeed(SolverAccount, { account: signer, pool })
    )),
    Layer.provide(
      Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, [...nodes.map((node) => node.url), url]]]) })
    )
  )
  return { ...local, nodes, own, ports, spendable, state }
})
