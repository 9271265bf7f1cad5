/**
 * Starts the fillings of a request's open deposits again, of deposits that could not be refunded, and refused
 * settlements, for an operator who sees a stuck request.
 *
 * A new sighting of a deposit has its own filling, which the worker starts within seconds. Whatever the old one still
 * does, each payment is signed once, and a deposit is filled or refunded, never both. So a retry is safe at any time,
 * any number of times, and never pays twice. A refund that failed for good is made again (`FailedRefund`).
 *
 * A decision to refund one deposit in spite of the cap on unattested refunds is stored, with its author, before
 * anything is started for it. A retry after a crash finds the decision and starts what was not started.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import type { OrdersDeposit } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { RefundDecision } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { Hex32 } from "../../domain/encoding/Hex.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { setFailedAside } from "../filling/refunds/FailedRefund.ts"

/** A decision to refund a deposit in spite of the cap. */
export interface InSpiteOfCap {
  readonly deposit: Hex32
  /** Who decided, for other operators. */
  readonly by: string
}

/** The decision names a deposit that does not belong to the request, or that waits for nothing. */
export class NothingToDecide extends Schema.TaggedError<NothingToDecide>()("NothingToDecide", { deposit: Hex32 }) {
  override get message(): string {
    return `inSpiteOfCap.deposit: ${this.deposit} is not a deposit of this request whose refund is held back; refundsHeld of GET /admin/overview lists those`
  }
}

/** How many deposits and refused settlements are retried. Zero when nothing is open. */
export interface Retried {
  readonly deposits: number
  readonly settlements: number
  /** The first decision on the deposit, which stays. Undefined when none was asked for. */
  readonly decision: RefundDecision | undefined
}

export class Retrying extends Context.Service<Retrying, {
  /** Undefined for an unknown id. */
  readonly retry: (
    id: RequestId,
    inSpiteOfCap?: InSpiteOfCap
  ) => Effect.Effect<Retried | undefined, NothingToDecide | StoreUnavailable>
}>()("causeway/services/Retrying") {}

export const layer = Layer.effect(
  Retrying,
  Effect.gen(function*() {
    const deposits = yield* Deposits
    const history = yield* TransferHistory
    const transfers = yield* Transfers
    const settlements = yield* Settlements
    const unattested = yield* UnattestedRefunds
    const services = yield* Effect.context<Effect.Services<ReturnType<typeof setFailedAside>>>()
    const setAside = (...of: Parameters<typeof setFailedAside>) => Effect.provide(setFailedAside(...of), services)

    const decide = Effect.fnUntraced(
      function*(requestId: RequestId, { by, deposit }: InSpiteOfCap, waiting: ReadonlyArray<OrdersDeposit>) {
        if (!waiting.some((each) => each.deposit.onchainId === deposit)) return yield* new NothingToDecide({ deposit })
        const decision = yield* unattested.decide({
          onchainId: deposit,
          requestId,
          by,
          at: yield* Clock.currentTimeMillis
        })
        yield* Effect.logWarning(
          `the deposit ${deposit} of request ${requestId} may go back in spite of UNATTESTED_REFUNDS_USD: ${decision.by} decided that`
        )
        return decision
      }
    )

    const retry: Retrying["Service"]["retry"] = Effect.fn("Retrying.retry")(function*(id, inSpiteOfCap) {
      const transfer = yield* transfers.find(id)
      if (transfer === undefined) return undefined
      const waiting = (yield* history.allDeposits(transfer.orderId)).filter(({ state }) =>
        state === "open" || state === "unrefundable"
      )
      const decision = inSpiteOfCap === undefined ? undefined : yield* decide(id, inSpiteOfCap, waiting)
      let begun = 0
      for (const { deposit: { onchainId }, state } of waiting) {
        if (state === "unrefundable" && !(yield* setAside(transfer.orderId, onchainId))) continue
        const found = yield* deposits.find(onchainId)
        const again = found === undefined
          ? undefined
          : yield* state === "open"
            ? deposits.sightAgain({ onchainId, sighting: found.sighting })
            : deposits.reopen(onchainId)
        if (again !== undefined) begun += 1
      }
      const settled = yield* settlements.retry(transfer.orderId, yield* Clock.currentTimeMillis)
      if (begun + settled > 0) {
        yield* Effect.logWarning(`request ${id} is retried: ${begun} deposits, ${settled} refused settlements`)
      }
      return { deposits: begun, settlements: settled, decision }
    })

    return Retrying.of({ retry })
  })
)
