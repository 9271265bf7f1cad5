/**
 * Waits until every current deposit on a chain has been seen and the payments made there are known. After a restore
 * from a backup neither holds, and the order that a further deposit names depends on both.
 */
import * as Effect from "effect/Effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { untilScanned } from "../deposits/watch/UntilScanned.ts"

export const waitUntilSeen = Effect.fnUntraced(function*(chain: Chain) {
  const payments = yield* Payments
  const watcher = yield* DepositWatcher
  yield* payments.refuseHeld(chain)
  const { height } = yield* watcher.head(chain)
  yield* untilScanned(chain, height)
})
