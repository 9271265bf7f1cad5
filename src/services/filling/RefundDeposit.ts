/**
 * Sends a deposit back, less the gas of doing so as far as the order allows, and says what that means for the request (spec/3
 * §6).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Gas } from "../../../ports/Gas.ts"
import { Losses } from "../../../ports/Losses.ts"
import { Payments } from "../../../ports/Payments.ts"
import { Prices } from "../../../ports/Prices.ts"
import { Transfers } from "../../../ports/Transfers.ts"
import type { Payment } from "../../../ports/Treasury.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { findCurrency, keepsNoPayment } from "../../domain/chain/Chain.ts"
import { convertCeil } from "../../domain/money/Currency.ts"
import { settledRefund } from "../../domain/settling/SettledRefund.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import { planRefund, refundAmount } from "../../domain/transfer/RefundPlan.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countStuck } from "../Meters.ts"
import { persistently } from "../Persistently.ts"
import { step } from "./FillingSteps.ts"
import { releaseSponsor } from "./HoldSponsor.ts"
import type { Claimant } from "./HoldSponsor.ts"
import { noteValues } from "./NoteValues.ts"
import { guardLeg, payLeg } from "./PayLeg.ts"
import type { LegPayment, Payout } from "./PayLeg.ts"

/** What giving back the payment's amount would pay now, in smallest units of its currency; zero when it is not worth its gas. */
export const priceRefund = Effect.fnUntraced(function*(chain: Chain, payment: Payment) {
  const gas = yield* Gas
  const prices = yield* Prices
  const [cost, native, currency] = yield* Effect.all([
    gas.ofPayment(payment),
    prices.priceOf(chain.native),
    prices.priceOf(payment.currency)
  ], { concurrency: "unbounded" })
  return refundAmount(payment.amount, convertCeil(cost, native, currency))
}, Effect.catchTag("PaymentRefused", () => Effect.succeed("refused" as const)))

/** A refund is owed: it waits for money for as long as it takes. */
export const PATIENCE = Duration.days(365)

const isPaid = ({ _tag }: Payout): boolean => _tag === "Paid"

/** The deposit has the order's fill. */
const isFilled = Effect.fnUntraced(function*({ orderId }: Transfer, { onchainId }: Deposit) {
  const payments = yield* Payments
  const fill = yield* payments.find(orderId, "fill")
  return fill !== undefined && fill.deposit === onchainId && fill.state !== "reverted"
})

/**
 * What a payment under another leg means for the deposit: it was filled by whoever judged it at the same time, and nothing
 * goes back; or its excess went back beside a fill that a reorganisation past finality has undone. Then the quoted amount is
 * owed, and a person has to see to it: no refund stands beside an excess, by which a deposit could go back twice.
 */
const excluded = Effect.fnUntraced(function*(transfer: Transfer, deposit: Deposit, why: FailReason) {
  if (yield* isFilled(transfer, deposit)) return { outcome: "filled" as const, why }
  const { amountIn, refundTo } = transfer.terms
  yield* Effect.logError(`${amountIn} of the deposit ${deposit.onchainId} are owed to ${refundTo}: what it had above the quoted amount went back, and then its fill was undone`)
  return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
})

/** Pays the refund leg and says what came of it; nothing is shown of it before it is paid. */
const pay = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer, deposit: Deposit, reason: FailReason) {
  const payments = yield* Payments
  const currency = findCurrency(chain, deposit.currency)
  if (currency === undefined) return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
  const name = `refund:${deposit.onchainId}` as const
  const { recipient } = planRefund(transfer, deposit)
  // It waits until somebody says whose it is; the history shows it.
  if (recipient === undefined) return { outcome: "unrefundable" as const, why: reason }
  const payment = { chain, currency, recipient, orderId: transfer.orderId, amount: deposit.amount }
  // Nothing is concluded from there being no refund before it is known what was paid since a backup.
  if ((yield* payments.find(transfer.orderId, name)) === undefined) yield* payments.refuseHeld(chain)
  // A refund that was signed keeps its amount, whatever gas costs meanwhile.
  const stored = yield* payments.find(transfer.orderId, name)
  // Depositors are what their senders say: what the depository were given back would name the order and be a deposit again.
  if (stored === undefined && keepsNoPayment(chain, payment.recipient)) return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
  const net = stored?.amount ?? (yield* priceRefund(chain, payment))
  if (net === "refused") return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
  const refund = { chain: chain.slug, currency: deposit.currency, recipient, deposited: deposit.amount }
  const amount = stored?.amount ?? settledRefund(transfer.order, refund, net)
  if (amount === 0n) return { outcome: "unrefundable" as const, why: "AMOUNT_TOO_LOW_TO_REFUND" as const }
  const leg: LegPayment = {
    transfer, leg: name, deposit, payment: { ...payment, amount }, patience: PATIENCE, notAfter: undefined, shown: undefined
  }
  const payout = yield* payLeg(leg)
  if (payout._tag === "Unpaid" && payout.why === "claimed") return yield* excluded(transfer, deposit, reason)
  if (isPaid(payout)) yield* noteValues(deposit, [currency, chain.native])
  return isPaid(payout)
    ? { outcome: "refunded" as const, why: reason }
    : { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
})

/** Moves the request when this deposit's fate is the request's, and says so to operators when money stays here. */
const conclude = Effect.fnUntraced(function*(
  transfer: Transfer,
  deposit: Deposit,
  reason: FailReason,
  { outcome, why }: { readonly outcome: "filled" | "refunded" | "unrefundable"; readonly why: FailReason }
) {
  if (outcome === "filled") return
  if (outcome === "unrefundable" && why === "UNKNOWN") {
    yield* countStuck("unrefundable")
    yield* Effect.logError(`a deposit could be neither filled nor refunded: ${deposit.transactionId} (${deposit.onchainId})`)
  }
  // A second deposit's fate is its own: the order was filled for the first.
  if (reason === "DOUBLE_SPEND" || !planRefund(transfer, deposit).decides) return
  const transfers = yield* Transfers
  yield* transfers.move(transfer.id, {
    to: outcome === "refunded" ? "refund" : "failure",
    failReason: why,
    at: yield* Clock.currentTimeMillis
  })
})

const guard = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer, deposit: Deposit) {
  const payments = yield* Payments
  const currency = findCurrency(chain, deposit.currency)
  const name = `refund:${deposit.onchainId}` as const
  const { recipient } = planRefund(transfer, deposit)
  const stored = yield* payments.find(transfer.orderId, name)
  if (currency === undefined || recipient === undefined || stored === undefined) return
  const payment = { chain, currency, recipient, amount: stored.amount, orderId: transfer.orderId }
  const kept = yield* guardLeg({ transfer, leg: name, deposit, payment, patience: PATIENCE, notAfter: undefined, shown: undefined })
  if (isPaid(kept)) {
    const losses = yield* Losses
    const now = yield* Clock.currentTimeMillis
    yield* losses.recover(deposit.onchainId, "payment", now)
    // On the same chain and before it: what was refunded is as final as its refund.
    yield* losses.recover(deposit.onchainId, "deposit", now)
  } else {
    yield* countStuck("refund-reverted-by-reorganisation")
    yield* Effect.logError(`a refund on ${chain.slug} that was made was reverted by a reorganisation: ${deposit.transactionId}`)
  }
})

export const refundDeposit = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer, claimant: Claimant, reason: FailReason) {
  const { deposit } = claimant
  const outcome = yield* step("refund.pay", Effect.gen(function*() {
    // A refund may wait for its money; the sponsor's does not wait with it.
    yield* releaseSponsor(transfer, claimant)
    const paid = yield* pay(chain, transfer, deposit, reason)
    yield* conclude(transfer, deposit, reason, paid)
    return paid.outcome
  }).pipe(persistently("refund.pay")))
  if (outcome === "refunded") {
    yield* step("refund.guard", guard(chain, transfer, deposit).pipe(persistently("refund.guard")))
  }
  return outcome
})
