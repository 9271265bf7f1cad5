/** A local Bitcoin chain with a solver that has coins, and the ports of its payments over one node and the explorer. */
import { Effect, Layer, Redacted } from "effect"
import type { BitcoinKey } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { keyOfName } from "../../../hosts/localnet/nodes/bitcoin/node/LocalKey.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { KeyPlace } from "../../../src/domain/deposit-address/HardenedKeys.ts"
import { FeeRate, MOST_FEE_RATE } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { PoolRule } from "../../../src/domain/families/bitcoin/treasury/PoolCoins.ts"
import { layer as layerBalances } from "../addresses/AddressBalances.ts"
import { layer as layerAddressCoins } from "../addresses/AddressCoins.ts"
import { layer as layerCoins } from "../coins/ListCoins.ts"
import { layer as layerExplorer } from "../observe/explorer/BitcoinExplorer.ts"
import { layer as layerGas } from "../pay/Gas.ts"
import { layer as layerSent } from "../pay/SentTransactions.ts"
import { SolverAccount, usualPool } from "../pay/SolverAccount.ts"
import type { KeyAccount } from "../pay/SolverAccount.ts"
import { layer as layerTreasury } from "../pay/Treasury.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinEndpoints, layer as layerRpc } from "../rpc/BitcoinRpc.ts"
import { layer as layerWatcher } from "../watch/Watcher.ts"
import { account, startLocalBitcoin } from "./LocalBitcoin.ts"

export const solver = keyOfName("causeway.contracts.bitcoin.solver")

/** The key of a deposit address. */
export const depositKey = ({ generation, number }: KeyPlace): BitcoinKey =>
  keyOfName(`causeway.contracts.bitcoin.deposit.${generation}.${number}`)

/** Small, so that it runs out. */
const pool: PoolRule = { ...usualPool, coins: 4, least: 500_000n, cluster: 5 }

/** `coins`: in blocks, of 0.1 BTC each. `more`: nodes beside the first one, which are preferred to it. */
export const startPayingBitcoin = Effect.fnUntraced(function*(coins: number, more?: number) {
  const local = yield* startLocalBitcoin
  const nodes = yield* Effect.forEach(Array.from({ length: more ?? 0 }), () => local.addNode)
  const spendable = yield* Effect.forEach(Array.from({ length: coins }), () => local.coin(solver))
  const state = { ceiling: MOST_FEE_RATE, rate: FeeRate(2_000n), isSigning: true }
  const signerOf = (key: BitcoinKey): KeyAccount => ({
    script: key.script,
    publicKey: key.publicKey,
    sign: (digest: Uint8Array) =>
      Effect.suspend(() =>
        state.isSigning ? Effect.succeed(key.sign(digest)) : Effect.fail(new SignerUnavailable({ fault: "refused" }))
      )
  })
  const signer = signerOf(solver)
  const own: Address = account(solver.address)
  const { bitcoin, explorerUrl, url } = local
  const ports = Layer.mergeAll(layerBalances, layerGas, layerSent, layerTreasury, layerWatcher).pipe(
    Layer.provideMerge(layerAddressCoins),
    Layer.provideMerge(layerCoins),
    Layer.provideMerge(Layer.mergeAll(
      layerRpc,
      layerExplorer({ url: Redacted.make(explorerUrl), access: { _tag: "Open" } }),
      Layer.succeed(BitcoinRates, {
        get ceiling() {
          return state.ceiling
        },
        rate: () => Effect.sync(() => state.rate)
      }),
      Layer.succeed(SolverAccount, {
        account: signer,
        pool,
        depositAccount: (place) => Effect.sync(() => signerOf(depositKey(place)))
      })
    )),
    Layer.provide(
      Layer.succeed(BitcoinEndpoints, { urls: new Map([[bitcoin.id, [...nodes.map((node) => node.url), url]]]) })
    )
  )
  return { ...local, nodes, own, ports, spendable, state }
})
