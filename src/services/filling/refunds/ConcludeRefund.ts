/** Records what a refund means for its request, and alerts operators when money is kept. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../domain/transfer/FailReason.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { countStuck } from "../../operations/Meters.ts"
import type { Refunded } from "./PayRefund.ts"

/**
 * What an operator can do. When the request was deleted nothing can be done through it, and the refund is retried
 * automatically.
 */
const remedyOf = ({ id, isCredited }: RefundedTransfer, { onchainId }: Deposit, again: Duration.Duration | undefined) =>
  again === undefined
    ? `check it, raise the cap (or wait, if it is below the cap), then POST /admin/requests/${id}/retry, or pay it in spite of the cap by that call with {"inSpiteOfCap":{"deposit":"${onchainId}","by":"<who decided>"}}`
    : `no request of its own can be retried, and it is tried again every ${Duration.format(again)} while ${
      isCredited === true ? "DROPPED_ADDRESS_REFUNDS_USD" : "UNATTESTED_REFUNDS_USD"
    } leaves no room for it`

/**
 * A refund that waits for room under the cap has not ended, and neither has its request. An operator is told what to
 * do.
 */
const keep = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    deposit: Deposit,
    isRequests: boolean,
    again: Duration.Duration | undefined
  ) {
    yield* countStuck("unattested-refunds-capped")
    yield* Effect.logError(
      `a deposit on ${chain.slug} is not refunded: no oracle would attest the refund, and it does not fit under UNATTESTED_REFUNDS_USD with the others of the last 24 hours: ${deposit.transactionId} (${deposit.onchainId}); ${
        remedyOf(transfer, deposit, again)
      }`
    )
    if (!isRequests) return
    const transfers = yield* Transfers
    yield* transfers.move(transfer.id, { to: "delayed", at: yield* Clock.currentTimeMillis })
  }
)

/** Moves the request when this deposit decides it, and alerts operators when money is kept. */
export const concludeRefund = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    deposit: Deposit,
    reason: FailReason,
    refunded: Refunded,
    again?: Duration.Duration
  ) {
    // A second deposit does not change the request: the order was filled for the first.
    const isRequests = reason !== "DOUBLE_SPEND" && planRefund(transfer, deposit).decides
    if (refunded.outcome === "filled") return
    if (refunded.outcome === "gone") {
      // If it comes back, it is judged again. The place to which it moved has its own filling.
      return yield* Effect.logError(
        `a deposit on ${chain.slug} that was to be refunded is no longer on the chain, so nothing is paid for it: ${deposit.transactionId} (${deposit.onchainId})`
      )
    }
    if (refunded.outcome === "capped") return yield* keep(chain, transfer, deposit, isRequests, again)
    const { outcome, why } = refunded
    if (outcome === "unrefundable" && why === "UNKNOWN") {
      yield* countStuck("unrefundable")
      yield* Effect.logError(
        `a deposit could be neither filled nor refunded: ${deposit.transactionId} (${deposit.onchainId})`
      )
    }
    if (!isRequests) return
    const transfers = yield* Transfers
    yield* transfers.move(transfer.id, {
      to: outcome === "refunded" ? "refund" : "failure",
      failReason: why,
      at: yield* Clock.currentTimeMillis
    })
  }
)
