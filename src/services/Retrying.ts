/**
 * Begins the fillings of a request's open deposits anew, of those that could not be refunded, and what was refused of settling
 * it, for an operator who sees one stuck.
 *
 * A new sighting of a deposit is a filling of its own, which the worker picks up within seconds; whatever the old one
 * still does, a leg is signed once and a deposit is filled or refunded, never both. So it may be asked for at any time
 * and any number of times, and never pays twice.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Deposits } from "../../ports/Deposits.ts"
import { Settlements } from "../../ports/Settlements.ts"
import type { StoreUnavailable } from "../../ports/StoreUnavailable.ts"
import { TransferHistory } from "../../ports/TransferHistory.ts"
import { Transfers } from "../../ports/Transfers.ts"
import type { RequestId } from "../domain/transfer/RequestId.ts"

export class Retrying extends Context.Service<Retrying, {
  /** How many deposits are looked at anew, and how many refused settlements: none when nothing is open. Undefined for an id that does not exist. */
  readonly retry: (id: RequestId) => Effect.Effect<{ readonly deposits: number; readonly settlements: number } | undefined, StoreUnavailable>
}>()("causeway/services/Retrying") {}

export const layer = Layer.effect(
  Retrying,
  Effect.gen(function*() {
    const deposits = yield* Deposits
    const history = yield* TransferHistory
    const transfers = yield* Transfers
    const settlements = yield* Settlements

    const retry: Retrying["Service"]["retry"] = Effect.fn("Retrying.retry")(function*(id) {
      const transfer = yield* transfers.find(id)
      if (transfer === undefined) return undefined
      const waiting = (yield* history.deposits(transfer.orderId)).filter(({ state }) => state === "open" || state === "unrefundable")
      let begun = 0
      for (const { deposit: { onchainId }, state } of waiting) {
        const sighting = yield* deposits.find(onchainId)
        const again = sighting === undefined ? undefined : yield* state === "open" ? deposits.sightAgain(sighting) : deposits.reopen(onchainId)
        if (again !== undefined) begun += 1
      }
      const settled = yield* settlements.retry(transfer.orderId, yield* Clock.currentTimeMillis)
      if (begun + settled > 0) yield* Effect.logWarning(`request ${id} is looked at anew: ${begun} deposits, ${settled} refused settlements`)
      return { deposits: begun, settlements: settled }
    })

    return Retrying.of({ retry })
  })
)
