/** Exchange A in the matrix: USDC on perps stands for the native currency, USDC on spot for a token. */
import { Effect, Semaphore } from "effect"
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { perps, spot } from "../../../localnet/commands/demo/DemoChain.ts"
import { walletOn } from "../../../localnet/commands/demo/Wallets.ts"
import { EXCHANGE_A_CHAIN_ID, exchangeASlug } from "../../../localnet/nodes/exchange-a/ExchangeAChain.ts"
import { exchangeAOver } from "../ExchangeANetwork.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"

/** Smallest units: 25 USDC. */
const SOME = 2_500_000_000n

export const exchangeAFamily: MatrixFamily = {
  name: "exchangea-vm",
  native: { symbol: "USDC", address: perps.address, some: SOME },
  token: { symbol: "USDC (spot)", address: spot.address, some: SOME },
  hasSecondChain: false,
  hasAddresses: true,
  start: Effect.fnUntraced(function*(evm) {
    const { book, environment, exchangeUrl } = yield* exchangeAOver(evm)
    const wallet = yield* walletOn({
      id: exchangeASlug,
      chainId: EXCHANGE_A_CHAIN_ID,
      rpcUrl: exchangeUrl,
      vmType: "exchangea-vm",
      native: perps,
      currencies: [perps, spot],
      user: undefined
    }, `http://127.0.0.1:${environment["TRANSFER_PORT"] ?? ""}`)
    return {
      environment,
      chains: [{
        slug: exchangeASlug,
        chainId: EXCHANGE_A_CHAIN_ID,
        ref: { slug: ChainSlug.make(exchangeASlug), family: families["exchangea-vm"], network: "mainnet" },
        wallet,
        user: Effect.fnUntraced(function*() {
          const privateKey = generatePrivateKey()
          const address = privateKeyToAddress(privateKey)
          for (const dex of ["", "spot"]) book.credit(address, dex, 4n * SOME)
          return { address, privateKey, alone: yield* Semaphore.make(1) }
        })
      }]
    }
  })
}
