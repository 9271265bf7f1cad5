/** EVM chains in the matrix: alpha has the pairs, beta is the family's second chain. */
import { Effect, Semaphore } from "effect"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { walletOn } from "../../../localnet/commands/demo/Wallets.ts"
import { ether } from "../../../localnet/commands/demo/DemoChain.ts"
import { ETH, GEM, USDC } from "../Tokens.ts"
import { turnsOf } from "./Turns.ts"
import type { MatrixChain, MatrixFamily } from "./MatrixFamily.ts"

const USERS = 10

export const evmFamily: MatrixFamily = {
  name: "ethereum-vm",
  native: ETH,
  token: USDC,
  swapped: GEM,
  hasSecondChain: true,
  hasAddresses: true,
  start: Effect.fnUntraced(function*(evm) {
    const users = yield* Effect.forEach(
      Array.from({ length: USERS }),
      (_, index) =>
        Effect.map(Semaphore.make(1), (alone) => ({ address: evm.user(index), privateKey: evm.key(index), alone }))
    )
    const chainOf = Effect.fnUntraced(function*(slug: "alpha" | "beta") {
      const { chainId, url } = evm.chains[slug]
      const native = { ...ether, address: ETH.address }
      const wallet = yield* walletOn({
        id: slug,
        chainId,
        rpcUrl: url,
        vmType: "ethereum-vm",
        native,
        currencies: [native],
        user: undefined
      }, "")
      return {
        slug,
        chainId,
        ref: { slug: ChainSlug.make(slug), family: families["ethereum-vm"], network: "mainnet" },
        wallet,
        user: turnsOf(users)
      } satisfies MatrixChain
    })
    return { environment: {}, chains: [yield* chainOf("alpha"), yield* chainOf("beta")] }
  })
}
