/** The two payments that can deliver an order: its fill, or its fallback when the fill's swap cannot be made. */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import { topupOf } from "../../../domain/order/Topup.ts"
import { fallbackUntil } from "../../../domain/hub/settling/SettledFallback.ts"
import { settlesUntil } from "../../../domain/hub/settling/SettledFill.ts"
import { REFUND_MARGIN_SECONDS } from "../../../domain/hub/settling/SettledRefund.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { payBy } from "../../../domain/transfer/deposit/JudgeDeposit.ts"
import type { FinalVerdict } from "../../../domain/transfer/deposit/JudgeDeposit.ts"
import { deliveredOf } from "../../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { deliveryPayment, unswapped } from "../../payments/DeliveryPayment.ts"
import type { DuePayment } from "../../payments/DuePayment.ts"
import { callRisk } from "../losses/RevertedCallLoss.ts"
import type { CallRisk } from "../losses/RevertedCallLoss.ts"
import { inventoryTurnOf } from "../InventoryQueue.ts"
import { stands } from "../WaitUntilFinal.ts"

/** How long a fill waits for inventory before its deposit is refunded. */
const PATIENCE = Duration.minutes(10)

/** Time for the fill to be mined before the order's deadline. */
export const DEADLINE_MARGIN_SECONDS = 120

type Conditions =
  | Effect.Services<NonNullable<ReturnType<typeof inventoryTurnOf>>["take"] | ReturnType<typeof stands>>
  | Effect.Services<ReturnType<CallRisk["isBorne"]>>

export interface DueDelivery extends DuePayment<Conditions> {
  readonly purpose: "fallback" | "fill"
  readonly notAfter: number
  /** Undefined when it can run no code of strangers. */
  readonly risk: CallRisk | undefined
}

/** The verdict of a deposit that is filled. */
export type DecidedFill = Omit<Extract<FinalVerdict, { readonly _tag: "Fill" }>, "_tag">

/** It opens the recipient's account only at a price that holds this (PRICE-25). */
const dueDelivery = <Purpose extends DueDelivery["purpose"]>(
  purpose: Purpose,
  route: Route,
  transfer: Transfer,
  deposit: Deposit,
  { amountOut, codeUnits = transfer.terms.codeUnits, rent = transfer.terms.rent }: DecidedFill
) => {
  const { id, order, orderId } = transfer
  const payment = deliveryPayment(route, { orderId, amount: amountOut, topup: topupOf(order) })
  const risk = callRisk(route, transfer, deposit, { purpose, payment })
  return { purpose, deposit, payment, patience: PATIENCE, shown: id, rent, codeUnits, risk, isBorne: risk?.isBorne }
}

/** The fill of the order by its deposit. */
export const dueFill = (route: Route, transfer: Transfer, deposit: Deposit, decided: DecidedFill): DueDelivery => ({
  ...dueDelivery("fill", route, transfer, deposit, decided),
  notAfter: Math.min(
    payBy(transfer, deposit) - DEADLINE_MARGIN_SECONDS,
    // A verdict of an older release may be for a fill that does not settle.
    (settlesUntil(transfer.order, {
      deposited: deposit.amount,
      amountOut: deliveredOf(transfer.terms, decided.amountOut)
    }) ?? 0) - REFUND_MARGIN_SECONDS
  ),
  turn: inventoryTurnOf(route, transfer, deposit, decided.amountOut)
})

/**
 * Where there is a vault it is paid from there like the fill: its inventory is reserved there, and its records have one
 * payment per order. It does not wait again for inventory for which the fill has waited.
 */
export const dueFallback = (route: Route, transfer: Transfer, deposit: Deposit, decided: DecidedFill): DueDelivery => {
  const { amountOut } = decided
  const { order, terms: { recipient } } = transfer
  return {
    ...dueDelivery("fallback", unswapped(route), transfer, deposit, decided),
    // A payment that no oracle attests would be the solver's loss, so the deposit is refunded instead.
    notAfter: (fallbackUntil(order, { deposited: deposit.amount, amountOut, recipient }) ?? 0) - REFUND_MARGIN_SECONDS,
    isDue: stands(route.origin, transfer, deposit)
  }
}
