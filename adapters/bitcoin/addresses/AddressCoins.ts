/**
 * The coins of a deposit address that one sweep takes now (BITCOIN-12): in final blocks, and spent by nothing, not even
 * by a transaction that waits.
 *
 * SECURITY: final, because the sweep also spends a coin of the solver. If whoever paid the address could take the money
 * back, the sweep would never be in a block, and nothing would prove that (BITCOIN-9): the solver's coin, and every
 * payment of its change, would wait for ever.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { sweptCoins } from "../../../src/domain/families/bitcoin/addresses/SweptCoins.ts"
import type { FeeRate } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { readHead } from "../watch/Blocks.ts"

export interface Sweepable {
  readonly coins: ReadonlyArray<ListedCoin>
  readonly rate: FeeRate
  /** The block at which they were read. */
  readonly height: bigint
}

export const makeAddressCoins = Effect.gen(function*() {
  const rpc = yield* BitcoinRpc
  const coins = yield* BitcoinCoins
  const rates = yield* BitcoinRates

  return Effect.fnUntraced(
    function*(chain: Chain, address: Address): Effect.fn.Return<Sweepable, ChainUnavailable> {
      // The head first: a coin that is final there is final in every later block.
      const { finalHeight, height } = yield* rpc.call(
        chain,
        "head",
        (client) => client.read((core, deadline) => readHead(core, chain, deadline))
      )
      const [listed, rate] = yield* Effect.all([coins.list(chain, address, "mempool"), rates.rate(chain)], {
        concurrency: 2
      })
      const final = listed.filter(({ confirmations }) => height - BigInt(confirmations) < finalHeight)
      return { coins: sweptCoins(final, rate), rate, height }
    }
  )
})
