/**
 * Waits until a deposit is final, or clearly no longer is where it was: then another place's filling has the order, or
 * nobody has what was filled. What is paid besides the fill of a deposit, or after a fill that reverted, is paid of one
 * that is final; what is paid in place of a fill that there is not, of one that stands.
 */
import * as Effect from "effect/Effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { isHalted } from "../deposits/halt/Halting.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { findDelivery } from "./Delivery.ts"

/**
 * Looks at a deposit that vanished until it is clear whether it is back in another place: then that one's filling has
 * the order.
 */
const MOVED_AFTER_LOOKS = 25

const until = Effect.fnUntraced(
  function*(enough: "included" | "final", chain: Chain, { orderId }: Pick<Transfer, "orderId">, deposit: Deposit) {
    const watcher = yield* DepositWatcher
    let vanished = 0
    while (true) {
      const standing = (yield* isHalted([chain.id])) ? undefined : yield* watcher.standing(chain, deposit)
      if (standing === undefined) {
        yield* Effect.sleep(pollInterval(chain))
        continue
      }
      if (standing._tag === "Included" && (enough === "included" || standing.final)) return enough
      vanished = standing._tag === "Gone" ? vanished + 1 : 0
      const claimant = vanished === 0 ? undefined : (yield* findDelivery(orderId))?.deposit
      if (claimant !== undefined && claimant !== deposit.onchainId) return "moved"
      if (vanished >= MOVED_AFTER_LOOKS) return "gone"
      yield* Effect.sleep(pollInterval(chain))
    }
  }
)

/** "moved": another place's filling has the order now, and settles it. */
export const waitUntilFinal = (chain: Chain, transfer: Pick<Transfer, "orderId">, deposit: Deposit) =>
  until("final", chain, transfer, deposit)

/** Asks whether it is in a block, right before something is signed for it: false once it clearly is not. */
export const stands = (chain: Chain, transfer: Pick<Transfer, "orderId">, deposit: Deposit) =>
  Effect.map(until("included", chain, transfer, deposit), (standing) => standing === "included")
