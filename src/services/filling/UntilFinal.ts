/**
 * Waits until a deposit that was filled is final, or clearly no longer is where it was: then another place's filling has the
 * order, or nobody has what was filled. What is paid besides the fill of a deposit is paid of one that is final.
 */
import * as Effect from "effect/Effect"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { isHalted } from "../Halting.ts"
import { pollInterval } from "../PollInterval.ts"
import { findDelivery } from "./Delivery.ts"

/** Looks at a deposit that vanished until it is clear whether it is back in another place: then that one's filling has the order. */
const MOVED_AFTER_LOOKS = 25

/** "moved": another place's filling has the order now, and settles it. */
export const untilFinal = Effect.fnUntraced(function*(chain: Chain, { orderId }: Pick<Transfer, "orderId">, deposit: Deposit) {
  const watcher = yield* DepositWatcher
  let vanished = 0
  while (true) {
    const standing = (yield* isHalted([chain.id])) ? undefined : yield* watcher.standing(chain, deposit)
    if (standing === undefined) {
      yield* Effect.sleep(pollInterval(chain))
      continue
    }
    if (standing._tag === "Included" && standing.final) return "final"
    vanished = standing._tag === "Gone" ? vanished + 1 : 0
    const claimant = vanished === 0 ? deposit.onchainId : (yield* findDelivery(orderId))?.deposit
    if (claimant !== deposit.onchainId) return "moved"
    if (vanished >= MOVED_AFTER_LOOKS) return "gone"
    yield* Effect.sleep(pollInterval(chain))
  }
})
