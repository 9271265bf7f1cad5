/** Sends a deposit back, less the gas of doing so, and says what that means for the request (spec/3 §6). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import { Gas } from "../../../ports/Gas.ts"
import { Prices } from "../../../ports/Prices.ts"
import { Transfers } from "../../../ports/Transfers.ts"
import type { Payment } from "../../../ports/Treasury.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { findCurrency } from "../../domain/chain/Chain.ts"
import { convertCeil } from "../../domain/money/Currency.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import type { FillingOutcome } from "./FillingWorkflow.ts"
import { planRefund, refundAmount } from "../../domain/transfer/RefundPlan.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { persistently } from "../Persistently.ts"
import { guardLeg, payLeg } from "./PayLeg.ts"

/** What a refund would pay now, in smallest units of the deposit's currency; zero when it is not worth its gas. */
const priceRefund = Effect.fnUntraced(function*(chain: Chain, deposit: Deposit, payment: Omit<Payment, "amount">) {
  const gas = yield* Gas
  const prices = yield* Prices
  const [cost, native, currency] = yield* Effect.all([
    gas.ofPayment(payment),
    prices.priceOf(chain.native),
    prices.priceOf(payment.currency)
  ], { concurrency: "unbounded" })
  return refundAmount(deposit.amount, convertCeil(cost, native, currency))
})

/** Moves the request, when this deposit's fate is the request's; a request that has ended stays as it is. */
const conclude = Effect.fnUntraced(function*(transfer: Transfer, decides: boolean, to: Status, reason: FailReason) {
  if (!decides) return
  const transfers = yield* Transfers
  yield* transfers.move(transfer.id, { to, failReason: reason, at: yield* Clock.currentTimeMillis })
})

export const refundDeposit = Effect.fnUntraced(function*(
  chain: Chain,
  transfer: Transfer,
  deposit: Deposit,
  reason: FailReason
) {
  const currency = findCurrency(chain, deposit.currency)
  const { decides, recipient } = planRefund(transfer, deposit)
  const end = (to: Status, why: FailReason, outcome: FillingOutcome) =>
    Activity.make({ name: `refund.${to}`, execute: conclude(transfer, decides, to, why).pipe(persistently("conclude")) }).pipe(
      Effect.as(outcome)
    )
  if (currency === undefined) return yield* end("failure", "UNKNOWN", "unrefundable")
  const payment = { chain, currency, recipient, orderId: transfer.orderId }
  const amount = yield* Activity.make({
    name: "refund.price",
    success: Schema.BigIntFromString,
    execute: priceRefund(chain, deposit, payment).pipe(persistently("refund.price"))
  })
  if (amount === 0n) return yield* end("failure", "AMOUNT_TOO_LOW_TO_REFUND", "unrefundable")
  const leg = {
    transfer,
    leg: `refund:${deposit.onchainId}` as const,
    deposit,
    payment: { ...payment, amount },
    status: undefined
  }
  const paid = yield* payLeg(leg)
  if (paid.result !== "paid") return yield* end("failure", "UNKNOWN", "unrefundable")
  const outcome = yield* end("refund", reason, "refunded")
  yield* guardLeg(leg, paid.signed)
  return outcome
})
