/**
 * Waits until a deposit is final as it is recorded, or clearly not in its block any more. Then the filling of its new
 * place has the order, or the deposit is gone. Payments beside a fill (an excess) or after a reverted fill (a refund)
 * require a final deposit. A refund in place of a fill requires only that the deposit is still there.
 */
import * as Effect from "effect/Effect"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { isHalted, seemsHalted } from "../deposits/halt/Halting.ts"
import { after, found, lookUntil, whenFinal, whenMoved } from "../following/LookUntil.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { findDelivery } from "./Delivery.ts"
import { recordedStanding } from "./RecordedStanding.ts"

/**
 * After this many checks a vanished deposit has either reappeared in another place, whose filling has the order, or
 * not.
 */
const MOVED_AFTER_LOOKS = 25

const until = Effect.fnUntraced(
  function*(enough: "included" | "final", chain: Chain, orderId: OrderId | undefined, deposit: Deposit) {
    let vanished = 0
    const look = Effect.fnUntraced(function*(by: ReadBy) {
      const standing = yield* recordedStanding(chain, deposit, by)
      if (standing._tag === "Included") {
        vanished = 0
        return enough === "included" || standing.final ? found(enough) : whenFinal(standing.block.height)
      }
      vanished += 1
      const claimant = orderId === undefined ? undefined : (yield* findDelivery(orderId))?.deposit
      if (claimant !== undefined && claimant !== deposit.onchainId) return found("moved" as const)
      return vanished >= MOVED_AFTER_LOOKS ? found("gone" as const) : after(pollInterval(chain))
    })
    return yield* lookUntil(
      chain,
      Effect.fnUntraced(function*(by) {
        if (yield* seemsHalted([chain.id])) return whenMoved
        // What is signed next rests on the deposit being there: the quorum says so.
        const looked = yield* look(enough === "included" ? "quorum" : by)
        // SECURITY: read after the chain was. What a halted chain shows decides nothing.
        return looked._tag === "Found" && (yield* isHalted([chain.id])) ? whenMoved : looked
      })
    )
  }
)

/** "moved": the filling of another place has the order and settles it. */
export const waitUntilFinal = (chain: Chain, { orderId }: Pick<Transfer, "orderId">, deposit: Deposit) =>
  until("final", chain, orderId, deposit)

/** The same of a deposit whose payment is its own, whatever deposit the order's fill belongs to: never "moved". */
export const waitUntilOwnFinal = (chain: Chain, deposit: Deposit) => until("final", chain, undefined, deposit)

/** Checks that the deposit is in a block, right before something is signed for it. False once it clearly is not. */
export const stands = (chain: Chain, { orderId }: Pick<Transfer, "orderId">, deposit: Deposit) =>
  Effect.map(until("included", chain, orderId, deposit), (standing) => standing === "included")

/** Waits until the quorum shows that a deposit is in a block, or has shown for long enough that it is in none. */
export const isClearlyGone = (chain: Chain, deposit: Deposit) =>
  Effect.map(until("included", chain, undefined, deposit), (standing) => standing === "gone")

/**
 * Waits until a deposit is final or gone. Only then is it known whether two sightings are two deposits. `gone` at the
 * first look that shows it so: whoever asks has another deposit, which may be this one.
 */
export const waitUntilKnown = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit) {
  return yield* lookUntil(
    chain,
    Effect.fnUntraced(function*(by) {
      if (yield* seemsHalted([chain.id])) return whenMoved
      const standing = yield* recordedStanding(chain, deposit, by)
      if (standing._tag === "Included" && !standing.final) return whenFinal(standing.block.height)
      // SECURITY: the finality of a halted chain is not trusted. Asked after the chain was.
      return (yield* isHalted([chain.id])) ? whenMoved : found(standing._tag === "Included" ? "final" : "gone")
    })
  )
})
