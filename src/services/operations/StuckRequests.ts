/**
 * Requests that have been in their state for too long, each with its reason, and refunds that the cap holds back, for
 * operators. Read-only.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { UnendedTransfer } from "../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { HeldRefund } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { overdueAmong } from "../../domain/transfer/Bounds.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { stuckReason } from "../../domain/transfer/StuckReason.ts"

/** A request beyond its bound (STATUS-8), and why it has not ended. */
export interface StuckRequest extends UnendedTransfer {
  readonly why: string
}

/** A deposit that is not refunded because of UNATTESTED_REFUNDS_USD, of the request or of a stranger. */
export interface StuckRefund extends HeldRefund {
  readonly requestId: RequestId
}

export class StuckRequests extends Context.Service<StuckRequests, {
  /** `now` in milliseconds; `unended` counts all requests with a deposit that have not ended. */
  readonly look: (now: number) => Effect.Effect<{
    readonly overdue: ReadonlyArray<StuckRequest>
    readonly unended: number
    /** The longest first, at most a thousand. */
    readonly refundsHeld: ReadonlyArray<StuckRefund>
  }, StoreUnavailable>
}>()("causeway/services/StuckRequests") {}

/** The longest ones. More of them would not help the operator. */
const LOOKED_AT = 1_000

export const layer = Layer.effect(
  StuckRequests,
  Effect.gen(function*() {
    const chains = yield* Chains
    const transfers = yield* Transfers
    const history = yield* TransferHistory
    const payments = yield* Payments
    const treasury = yield* Treasury
    const restorations = yield* Restorations
    const unattested = yield* UnattestedRefunds

    const newestPayment = Effect.fnUntraced(function*(orderId: OrderId) {
      const newest = (yield* history.payments(orderId)).at(-1)
      const payment = newest === undefined ? undefined : yield* payments.find(orderId, newest.leg)
      const chain = payment === undefined ? undefined : findChain(chains.all, payment.chainId)
      if (payment === undefined || chain === undefined) return undefined
      const outcome = yield* treasury.outcome(chain, payment.variants, "endpoint").pipe(
        Effect.map(({ _tag }) => _tag),
        Effect.catch(() => Effect.succeed("unknown" as const))
      )
      return {
        leg: payment.leg,
        chain: chain.slug,
        transactionId: payment.transactionId,
        state: payment.state,
        outcome
      }
    })

    const explain = Effect.fnUntraced(function*(unended: UnendedTransfer) {
      const transfer = yield* transfers.find(unended.id)
      const deposits = transfer === undefined ? [] : yield* history.deposits(transfer.orderId)
      const payment = transfer === undefined ? undefined : yield* newestPayment(transfer.orderId)
      const open = (yield* restorations.open).map(({ chainId }) => chainId)
      const held = chains.all.filter(({ id }) =>
        open.includes(id) && (id === unended.originChainId || id === unended.destinationChainId)
      )
      const why = stuckReason({
        status: unended.status,
        deposits: deposits.map(({ state }) => state),
        isCapped: deposits.some(({ isHeld }) => isHeld),
        payment,
        held: held.map(({ slug }) => slug)
      })
      return { ...unended, why } satisfies StuckRequest
    })

    const named = Effect.fnUntraced(function*(held: HeldRefund) {
      const transfer = yield* transfers.findByOrder(OrderId.make(held.deposit.depositId))
      return transfer === undefined ? [] : [{ ...held, requestId: transfer.id } satisfies StuckRefund]
    })

    const look: StuckRequests["Service"]["look"] = Effect.fn("Stuck.look")(function*(now) {
      const unended = yield* transfers.unended(LOOKED_AT)
      const overdue = yield* Effect.forEach(overdueAmong(unended, chains.all, now), explain)
      const refundsHeld = yield* Effect.forEach(yield* unattested.held(LOOKED_AT), named)
      return { overdue, unended: unended.length, refundsHeld: refundsHeld.flat() }
    })

    return StuckRequests.of({ look })
  })
)
