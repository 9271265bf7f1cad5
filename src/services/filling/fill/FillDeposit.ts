/**
 * Fills an order for a deposit. When its swap cannot be made and the request allows it, delivers the unswapped
 * currency.
 */
import * as Effect from "effect/Effect"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { fallsBack, whyReverted } from "../../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { deliver } from "./Deliver.ts"
import { dueFallback, dueFill } from "./DueDelivery.ts"
import type { DecidedFill } from "./DueDelivery.ts"

export const fillDeposit = Effect.fnUntraced(
  function*(attempt: "fill" | "fill.again", route: Route, transfer: Transfer, deposit: Deposit, decided: DecidedFill) {
    const result = yield* deliver(attempt, route, dueFill(route, transfer, deposit, decided), transfer, deposit)
    if (result._tag !== "Refund" || result.reason !== whyReverted(transfer.terms) || !fallsBack(transfer.terms)) {
      return result
    }
    return yield* deliver(
      attempt === "fill" ? "fallback" : "fallback.again",
      route,
      dueFallback(route, transfer, deposit, decided),
      transfer,
      deposit
    )
  }
)
