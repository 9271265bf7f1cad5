/**
 * The solver's coins in blocks, also while the explorer is dead: then those that it named before, and the change of
 * what was signed here since. Each is checked at a node in any case, so an old name does no harm. A coin that nobody
 * named waits for the explorer.
 */
import { Effect } from "effect"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import type { BtcOutpoint } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import type { BitcoinCoins, ListedCoin } from "../coins/ListCoins.ts"
import { addressOn } from "./SolverAccount.ts"
import type { KeyAccount } from "./SolverAccount.ts"

/** The newest of them count: as many as an address may have. */
const MOST_NOTED = 500

export const makeSolverCoins = ({ check, list }: BitcoinCoins["Service"], account: KeyAccount) => {
  const listed = new Map<ChainId, ReadonlyArray<BtcOutpoint>>()
  const noted = new Map<ChainId, ReadonlyArray<BtcOutpoint>>()

  /**
   * What a payment spends from the pool counts as unspent until a block has it: who claims a coin, the store knows.
   */
  const inBlocks = Effect.fnUntraced(
    function*(chain: Chain): Effect.fn.Return<ReadonlyArray<ListedCoin>, ChainUnavailable> {
      const address = addressOn(account, chain)
      const before = [...listed.get(chain.id) ?? [], ...noted.get(chain.id) ?? []]
      return yield* list(chain, address, "blocks").pipe(
        Effect.tap((coins) => Effect.sync(() => listed.set(chain.id, coins))),
        Effect.catch((unavailable) =>
          before.length === 0
            ? Effect.fail(unavailable)
            : check(chain, address, [...new Map(before.map((coin) => [coinName(coin), coin])).values()], "blocks")
        )
      )
    }
  )

  return {
    inBlocks,
    /** Whether it is change of what was signed here. */
    isNoted: (chain: Chain) => {
      const names = new Set((noted.get(chain.id) ?? []).map(coinName))
      return (coin: BtcOutpoint) => names.has(coinName(coin))
    },
    /** Change of a payment that was signed. */
    note: (chain: Chain, change: ReadonlyArray<BtcOutpoint>) =>
      Effect.sync(() => {
        noted.set(chain.id, [...noted.get(chain.id) ?? [], ...change].slice(-MOST_NOTED))
      })
  }
}
