/**
 * Wakes this process's `Settling` when this process has closed a deposit, which may then be settled. A notice of the
 * store would make the commits of all fills wait for each other. What another process closes is settled by that one, or
 * found by the slow poll.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"

/** Open once a deposit was closed. Whoever waits closes it before the store is read. */
export class NewSettlements
  extends Context.Service<NewSettlements, Latch.Latch>()("causeway/services/NewSettlements")
{}

export const layer = Layer.effect(NewSettlements, Latch.make())

/** The deposits, for services that close them. */
export const layerTelling = Layer.effect(
  Deposits,
  Effect.gen(function*() {
    const deposits = yield* Deposits
    const fresh = yield* NewSettlements
    return Deposits.of({
      ...deposits,
      close: (...closed) => Effect.ensuring(deposits.close(...closed), Effect.sync(() => fresh.openUnsafe()))
    })
  })
)
