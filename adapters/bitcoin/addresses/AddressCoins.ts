/**
 * The coins of a deposit address that one sweep takes now (BITCOIN-12): in final blocks, and spent by nothing, not even
 * by a transaction that waits.
 *
 * SECURITY: final, because the sweep also spends a coin of the solver. If whoever paid the address could take the money
 * back, the sweep would never be in a block, and nothing would prove that (BITCOIN-9): the solver's coin, and every
 * payment of its change, would wait for ever.
 */
import { Context, Effect, Layer, Semaphore } from "effect"
import type { BalanceSource } from "../../../ports/chain/AddressBalances.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { sweptCoins } from "../../../src/domain/families/bitcoin/addresses/SweptCoins.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import type { HeldCoin } from "../coins/ListCoins.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import type { ReadHead } from "../watch/Blocks.ts"
import { makeWatchedOutputs } from "./WatchedOutputs.ts"

/** Addresses that the explorer is asked for at once: after a restart, and before they are dropped, there are many. */
const ASKED_AT_ONCE = 4

export interface SweepableCoins {
  /** By the word of one node. Whoever signs checks them by the bytes of what made them. */
  readonly coins: ReadonlyArray<HeldCoin>
  /** The block at which they were read. */
  readonly height: bigint
}

export class AddressCoins extends Context.Service<AddressCoins, {
  /** `watched`: no request for an address to which nothing came since it was listed. */
  readonly of: (chain: Chain, address: Address, from: BalanceSource) => Effect.Effect<SweepableCoins, ChainUnavailable>
}>()("causeway/adapters/bitcoin/AddressCoins") {}

export const layer = Layer.effect(
  AddressCoins,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const coins = yield* BitcoinCoins
    const rates = yield* BitcoinRates
    const asking = yield* Semaphore.make(ASKED_AT_ONCE)
    const watched = makeWatchedOutputs(rpc, {
      ...coins,
      named: (chain, address) => asking.withPermits(1)(coins.named(chain, address))
    })

    const sweepable = Effect.fnUntraced(
      function*(chain: Chain, { finalHeight, height }: ReadHead, held: ReadonlyArray<HeldCoin>) {
        const final = held.filter(({ confirmations }) => height - BigInt(confirmations) < finalHeight)
        return { coins: final.length === 0 ? [] : sweptCoins(final, yield* rates.rate(chain)), height }
      }
    )

    return AddressCoins.of({
      of: Effect.fnUntraced(function*(chain, address, from) {
        if (from === "watched") {
          const { head, outputs } = yield* watched(chain, address)
          return yield* sweepable(chain, head, yield* coins.held(chain, address, outputs))
        }
        // The head first: a coin that is final there is final in every later block.
        const head = yield* rpc.call(
          chain,
          "head",
          (client) => client.read((core, deadline) => readHead(core, chain, deadline))
        )
        const named = yield* asking.withPermits(1)(coins.named(chain, address))
        return yield* sweepable(chain, head, yield* coins.held(chain, address, named))
      })
    })
  })
)
