/**
 * Sets where the scanning of a chain begins: at its head, before the first order is issued that a deposit could name.
 *
 * The worker or the first quote does it, whichever is first. So a deposit that is made before any worker has run is
 * behind the anchor, and the first worker finds it.
 */
import * as Effect from "effect/Effect"
import { DepositWatcher } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"

export const anchorChain = Effect.fnUntraced(function*(chain: Chain) {
  const deposits = yield* Deposits
  const watcher = yield* DepositWatcher
  yield* deposits.anchor(chain.id, yield* watcher.head(chain))
})
