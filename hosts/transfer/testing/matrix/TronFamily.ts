/** Tron in the matrix: its users pay in TRX, and in USDT, whose `transfer` returns false. */
import { Effect, Semaphore } from "effect"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { trx } from "../../../localnet/commands/demo/DemoChain.ts"
import { walletOn } from "../../../localnet/commands/demo/Wallets.ts"
import { usdt } from "../../../localnet/nodes/tron/Deposits.ts"
import { TRON_CHAIN_ID } from "../../../localnet/nodes/tron/node/ChainNumber.ts"
import { names } from "../../../localnet/nodes/tron/Tron.ts"
import { tronSlug } from "../../../localnet/nodes/tron/TronChain.ts"
import { tronOver } from "../TronNetwork.ts"
import type { MatrixFamily } from "./MatrixFamily.ts"
import { turnsOf } from "./Turns.ts"

export const tronFamily: MatrixFamily = {
  name: "tron-vm",
  native: { symbol: trx.symbol, address: trx.address, some: 100_000_000n },
  token: { symbol: "USDT", address: usdt, some: 25_000_000n },
  hasSecondChain: false,
  hasAddresses: true,
  start: Effect.fnUntraced(function*(evm) {
    const { environment, tron } = yield* Effect.orDie(tronOver(evm))
    // Soon solidified, which takes nineteen blocks.
    yield* Effect.forkScoped(Effect.forever(Effect.delay(tron.mine(4), "300 millis")))
    const users = yield* Effect.forEach(names, (name) =>
      Effect.all([tron.wallet(name), Semaphore.make(1)]).pipe(
        Effect.map(([{ key: { address, privateKey } }, alone]) => ({
          address,
          privateKey: privateKey.slice(2),
          alone
        }))
      ))
    const wallet = yield* walletOn({
      id: tronSlug,
      chainId: TRON_CHAIN_ID,
      rpcUrl: tron.url,
      vmType: "tron-vm",
      native: trx,
      currencies: [trx],
      user: undefined
    }, "")
    return {
      environment,
      chains: [{
        slug: tronSlug,
        chainId: TRON_CHAIN_ID,
        ref: { slug: ChainSlug.make(tronSlug), family: families["tron-vm"], network: "mainnet" },
        wallet,
        user: turnsOf(users)
      }]
    }
  })
}
