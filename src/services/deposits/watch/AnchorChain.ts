/**
 * Where the scanning of a chain begins: at its head, before the first order that a deposit could name is handed out.
 *
 * Whoever comes first does it, the worker or the first quote: a deposit that is made while no worker has run yet lies
 * behind the anchor and is found by the first one that does.
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
