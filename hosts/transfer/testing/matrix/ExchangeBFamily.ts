/** Exchange B in the matrix: USDC on perps stands for the native currency, USDC on spot for a token. */
import { Effect, Semaphore } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { asset, collateral } from "../../../localnet/commands/demo/DemoChain.ts"
import { walletOn } from "../../../localnet/commands/demo/Wallets.ts"
import { EXCHANGE_B_CHAIN_ID, exchangeBSlug } from "../../../localnet/nodes/exchange-b/ExchangeBChain.ts"
import { exchangeBOver } from "../ExchangeBNetwork.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"

/** Smallest units: 25 USDC. */
const SOME = 25_000_000n

const USDC = 3

export const exchangeBFamily: MatrixFamily = {
  name: "exchangeb-vm",
  native: { symbol: "USDC", address: collateral.address, some: SOME },
  token: { symbol: "USDC (spot)", address: asset.address, some: SOME },
  hasSecondChain: false,
  hasAddresses: false,
  start: Effect.fnUntraced(function*(evm) {
    const { environment, exchangeUrl, state } = yield* exchangeBOver(evm)
    const wallet = yield* walletOn({
      id: exchangeBSlug,
      chainId: EXCHANGE_B_CHAIN_ID,
      rpcUrl: exchangeUrl,
      vmType: "exchangeb-vm",
      native: collateral,
      currencies: [collateral, asset],
      user: undefined
    }, `http://127.0.0.1:${environment["TRANSFER_PORT"] ?? ""}`)
    return {
      environment,
      chains: [{
        slug: exchangeBSlug,
        chainId: EXCHANGE_B_CHAIN_ID,
        ref: { slug: ChainSlug.make(exchangeBSlug), family: families["exchangeb-vm"], network: "mainnet" },
        wallet,
        user: Effect.fnUntraced(function*() {
          const owner = generatePrivateKey()
          const index = state.openNext(privateKeyToAddress(owner))
          for (const route of [0, 1]) state.credit(index, USDC, route, Number(4n * SOME))
          return { address: `${index}`, privateKey: `${index}:${owner}`, alone: yield* Semaphore.make(1) }
        })
      }]
    }
  })
}
