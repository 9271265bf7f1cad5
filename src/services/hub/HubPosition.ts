/**
 * Stores how far the hub's chain is, as scanning does for served chains. After a restore from a backup it says since
 * when transactions of the account may be unknown (`Restoring`), and the doctor compares from there.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"

/** A backup's position of the hub is at most this old. */
export const POSITION_EVERY = Duration.seconds(30)

/** Anchors the hub chain's position in the store, from which a restoration reads it. */
export const notePosition = Effect.fnUntraced(function*(chain: Chain) {
  const chains = yield* Chains
  // A served chain has the cursor of its deposits.
  if (findChain(chains.all, chain.id) !== undefined) return
  const deposits = yield* Deposits
  const watcher = yield* DepositWatcher
  const head = yield* watcher.head(chain)
  yield* deposits.anchor(chain.id, head)
  yield* deposits.record(chain.id, head, [], yield* Clock.currentTimeMillis)
})
