/**
 * Follows what delivers an order, where another execution has signed it for this deposit: to its end, as that one would
 * have (REFUND-17). Nothing else is delivered here.
 *
 * SECURITY: that execution may have ended, and left what it had signed to this one. Nobody else sends it again when a
 * reorg drops it, and later payments of its account wait behind its sequence.
 */
import * as Effect from "effect/Effect"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { findDelivery } from "../Delivery.ts"
import { holdSponsor } from "../HoldSponsor.ts"
import type { Claimant } from "../HoldSponsor.ts"
import { deliver } from "./Deliver.ts"
import { dueFallback, dueFill } from "./DueDelivery.ts"

/** Undefined when the deposit has no such payment, or only one that was reverted. */
export const followDelivery = Effect.fnUntraced(function*(route: Route, transfer: Transfer, claimant: Claimant) {
  const { deposit } = claimant
  const signed = yield* findDelivery(transfer.orderId).pipe(retryForever("load"))
  if (signed?.deposit !== deposit.onchainId || signed.state === "reverted") return undefined
  // It was released for a refund, or by the other execution: a payment is charged as it was made.
  yield* holdSponsor(transfer, claimant).pipe(retryForever("load"))
  const dueOf = signed.leg === "fallback" ? dueFallback : dueFill
  const due = dueOf(route, transfer, deposit, { amountOut: signed.amount })
  return yield* deliver("found", route, due, transfer, deposit)
})
