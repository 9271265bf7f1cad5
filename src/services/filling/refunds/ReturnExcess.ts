/**
 * Gives back what a filled deposit at a strict address was above the quoted amount, less the gas of doing so
 * (ADDRESS-7).
 *
 * A leg of its own: it changes nothing of a request that has succeeded, and one that is not worth its gas is only
 * recorded.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import { excessOf } from "../../../domain/transfer/refund/Excess.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { countStuck } from "../../operations/Meters.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { persistently } from "../../polling/Persistently.ts"
import { step } from "../FillingSteps.ts"
import { guardLeg, payLeg } from "../PayLeg.ts"
import type { LegPayment, Payout } from "../PayLeg.ts"
import { PATIENCE, priceRefund } from "./RefundDeposit.ts"
import { untilFinal } from "../UntilFinal.ts"

const legOf = (
  { origin, originCurrency }: Route,
  transfer: Transfer,
  deposit: Deposit,
  amount: bigint
): LegPayment => ({
  transfer,
  leg: `excess:${deposit.onchainId}`,
  deposit,
  payment: {
    _tag: "Excess",
    chain: origin,
    currency: originCurrency,
    recipient: transfer.terms.refundTo,
    amount,
    orderId: transfer.orderId
  },
  patience: PATIENCE,
  notAfter: undefined,
  shown: undefined
})

const unpaid = Effect.fnUntraced(function*({ onchainId, transactionId }: Deposit) {
  yield* countStuck("unrefundable")
  yield* Effect.logError(
    `what was paid above the quoted amount could not be given back: ${transactionId} (${onchainId})`
  )
})

/** Another place of the same deposit gives it back. */
const isClaimed = (payout: Payout | undefined): boolean => payout?._tag === "Unpaid" && payout.why === "claimed"

/** What was signed keeps its amount, whatever gas costs meanwhile. */
const pay = Effect.fnUntraced(function*(legFor: (amount: bigint) => LegPayment, deposit: Deposit, excess: bigint) {
  const payments = yield* Payments
  const whole = legFor(excess)
  const { chain } = whole.payment
  if ((yield* payments.find(whole.payment.orderId, whole.leg)) === undefined) yield* payments.refuseHeld(chain)
  const stored = yield* payments.find(whole.payment.orderId, whole.leg)
  // A deposit that is gone left nothing over, and of one that has moved its new place gives it back.
  if (stored === undefined && (yield* untilFinal(chain, whole.transfer, deposit)) !== "final") return "recorded"
  // The sweep of the whole deposit is in the fees of its fill.
  const priced = stored === undefined ? yield* priceRefund(chain, whole.payment, "sent", 0n) : { net: stored.amount }
  if (priced !== "refused" && priced.net === 0n) return "recorded"
  const payout = priced === "refused" ? undefined : yield* payLeg(legFor(priced.net))
  if (payout?._tag === "Paid") return "paid"
  if (!isClaimed(payout)) yield* unpaid(deposit)
  return "recorded"
})

const guard = Effect.fnUntraced(function*(legFor: (amount: bigint) => LegPayment, deposit: Deposit) {
  const payments = yield* Payments
  const losses = yield* Losses
  const { leg, payment } = legFor(0n)
  const stored = yield* payments.find(payment.orderId, leg)
  if (stored === undefined) return
  const kept = yield* guardLeg(legFor(stored.amount))
  if (kept._tag === "Paid") yield* losses.recover(deposit.onchainId, "payment", yield* Clock.currentTimeMillis)
  else if (!isClaimed(kept)) yield* unpaid(deposit)
})

export const returnExcess = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit) {
  const excess = excessOf(transfer, deposit)
  if (excess === 0n) return
  const legFor = (amount: bigint) => legOf(route, transfer, deposit, amount)
  const outcome = yield* step("excess.pay", pay(legFor, deposit, excess).pipe(persistently("excess.pay")))
  if (outcome === "paid") yield* step("excess.guard", guard(legFor, deposit).pipe(persistently("excess.guard")))
})
