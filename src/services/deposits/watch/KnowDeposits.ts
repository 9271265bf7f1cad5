/**
 * Records every deposit that a chain has now, as so many endpoints show them that one of them tells the truth (QUORUM-8).
 * For whoever concludes from a deposit that is not recorded: a restoration. Not for the usual watch, which waits for
 * final blocks (`LookAgain`).
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import type { Cursor, FinalScan } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { setForeignAside } from "./ForeignDeposits.ts"
import { tellHidden } from "./LookAgain.ts"
import { tellUnread } from "./UnreadTransactions.ts"
import { untilScanned } from "./UntilScanned.ts"

/** No block has it, so the quorum is asked for the block at that height. */
const NO_HASH = ""

/** The block up to which the chain is looked at. As a slot it may be empty: then the next try takes a newer one. */
const newestBlock = Effect.fnUntraced(function*(chain: Chain): Effect.fn.Return<
  Cursor,
  ChainUnavailable,
  DepositWatcher
> {
  const watcher = yield* DepositWatcher
  const { height } = yield* watcher.heads(chain, "quorum")
  const { found } = yield* watcher.finality(chain, { height, hash: NO_HASH })
  return found === undefined
    ? yield* new ChainUnavailable({ chain: chain.slug, operation: "newest block", kind: "behind" })
    : { height, hash: found }
})

/** Waits for the scan, then looks at the blocks from the last look at final ones up to the newest block. */
export const knowDeposits = Effect.fnUntraced(function*(chain: Chain) {
  const deposits = yield* Deposits
  const watcher = yield* DepositWatcher
  const newest = yield* newestBlock(chain)
  yield* untilScanned(chain, newest.height)
  let from = yield* deposits.finalCursor(chain.id)
  while (from !== undefined && from.height < newest.height) {
    const shown: FinalScan = yield* watcher.scanFinal(chain, from, newest)
    yield* tellUnread(shown)
    const { foreign, ours } = yield* setForeignAside(shown.deposits)
    yield* tellHidden(chain, shown, yield* deposits.note(ours, yield* Clock.currentTimeMillis), foreign)
    from = shown.cursor
  }
})
