/** Bitcoin in the matrix: each payer is a new wallet with coins of its own. A block comes twice a second. */
import { Effect, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { btc } from "../../../localnet/commands/demo/DemoChain.ts"
import { walletOn } from "../../../localnet/commands/demo/Wallets.ts"
import { bitcoinChainId, bitcoinSlug } from "../../../localnet/nodes/bitcoin/BitcoinChain.ts"
import { keyOf } from "../../../localnet/nodes/bitcoin/node/LocalKey.ts"
import { bitcoinOver } from "../BitcoinNetwork.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"

/** Satoshi: sixty dollars. */
const SOME = 100_000n

export const bitcoinFamily: MatrixFamily = {
  name: "bitcoin-vm",
  native: { symbol: btc.symbol, address: btc.address, some: SOME },
  hasSecondChain: false,
  hasAddresses: true,
  start: Effect.fnUntraced(function*(evm) {
    const { bitcoin, environment, give } = yield* Effect.orDie(bitcoinOver(evm))
    // One at a time: two blocks that are made at once would have the same parent.
    const mining = yield* Semaphore.make(1)
    yield* Effect.forkScoped(Effect.forever(Effect.delay(mining.withPermit(bitcoin.mine()), "500 millis")))
    const wallet = yield* walletOn({
      id: bitcoinSlug,
      chainId: bitcoinChainId,
      rpcUrl: bitcoin.url,
      explorerUrl: bitcoin.explorerUrl,
      vmType: "bitcoin-vm",
      native: btc,
      currencies: [btc],
      user: undefined
    }, "")
    return {
      environment,
      chains: [{
        slug: bitcoinSlug,
        chainId: bitcoinChainId,
        ref: { slug: ChainSlug.make(bitcoinSlug), family: families["bitcoin-vm"], network: "regtest" },
        wallet,
        user: Effect.fnUntraced(function*() {
          const { address, privateKey, script } = keyOf(new Uint8Array(randomBytes(32)))
          yield* mining.withPermit(give(script, 3n * SOME))
          return {
            address,
            privateKey: Buffer.from(privateKey).toString("hex"),
            alone: yield* Semaphore.make(1)
          }
        })
      }]
    }
  })
}
