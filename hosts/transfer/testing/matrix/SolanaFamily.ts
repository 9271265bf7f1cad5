/** Solana in the matrix: its users pay in SOL and USDC, and swap for GEM. */
import { Effect, Semaphore } from "effect"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { sol } from "../../../localnet/commands/demo/DemoChain.ts"
import { walletOn } from "../../../localnet/commands/demo/Wallets.ts"
import { usdc } from "../../../localnet/nodes/solana/Mints.ts"
import { solanaChainId, solanaSlug } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { gem } from "../../../localnet/nodes/solana/pools/Pools.ts"
import { walletText } from "../../../localnet/nodes/solana/SolanaKeys.ts"
import { solanaOver } from "../SolanaNetwork.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"
import { turnsOf } from "./Turns.ts"

export const solanaFamily: MatrixFamily = {
  name: "solana-vm",
  native: { symbol: sol.symbol, address: sol.address, some: 500_000_000n },
  token: { symbol: usdc.symbol, address: usdc.address, some: 25_000_000n },
  swapped: { symbol: gem.symbol, address: gem.address, some: 10_000_000_000n },
  hasSecondChain: false,
  hasAddresses: true,
  start: Effect.fnUntraced(function*(evm) {
    const { environment, solana, solanaUsers } = yield* Effect.orDie(solanaOver(evm))
    const users = yield* Effect.forEach(
      solanaUsers,
      (key) => Effect.map(Semaphore.make(1), (alone) => ({ address: key.address, privateKey: walletText(key), alone }))
    )
    const wallet = yield* walletOn({
      id: solanaSlug,
      chainId: solanaChainId,
      rpcUrl: solana.url,
      vmType: "solana-vm",
      native: sol,
      currencies: [sol],
      user: undefined
    }, "")
    return {
      environment,
      chains: [{
        slug: solanaSlug,
        chainId: solanaChainId,
        ref: { slug: ChainSlug.make(solanaSlug), family: families["solana-vm"], network: "mainnet" },
        wallet,
        user: turnsOf(users)
      }]
    }
  })
}
