/**
 * Pays reserved payouts, as a durable workflow: pay → guard until final → paid, or returned when it can never be paid.
 *
 * The payment is made like a fill or a refund: signed once, stored, broadcast, and guarded until final. It has the
 * payout's id in place of an order's. Only then does the money leave its reservation, in the transaction that ends the
 * payout. A payout that a reorg past finality removes is reserved again and paid in another round, by the same payment.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import type { Payout } from "../../../ports/store/ledger/Payouts.ts"
import { InventoryReservations } from "../../../ports/store/orders/InventoryReservations.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { findCurrency } from "../../domain/chain/Chain.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import { OWED } from "../payments/DuePayment.ts"
import type { DuePayment } from "../payments/DuePayment.ts"
import { guardPayment } from "../payments/guard/GuardPayment.ts"
import { pay } from "../payments/pay/PayUntil.ts"
import { countStuck } from "../operations/Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { ending } from "./PayoutMovements.ts"
import { step } from "./PayoutSteps.ts"
import { PayoutWorkflow } from "./PayoutWorkflow.ts"
import type { PayoutOutcome } from "./PayoutWorkflow.ts"

/**
 * The payment of a payout. A process must not judge payouts that it does not serve: its next configuration may serve
 * them.
 */
const duePayout = Effect.fnUntraced(function*({ id, paid, recipient }: Payout) {
  const { chain } = yield* SettlementChain
  const currency = paid.currency.chainId === chain.id ? findCurrency(chain, paid.currency.address) : undefined
  if (currency === undefined) {
    return yield* new ChainUnavailable({ chain: chain.slug, operation: `payout ${id}`, kind: "not-served" })
  }
  const orderId = OrderId.make(id)
  return {
    purpose: "payout",
    deposit: { onchainId: id },
    payment: { _tag: "Payout", chain, currency, recipient, amount: paid.amount, orderId },
    patience: OWED,
    notAfter: undefined,
    shown: undefined
  } satisfies DuePayment
})

const load = Effect.fnUntraced(function*(id: Hex32) {
  const payouts = yield* Payouts
  const found = yield* payouts.find(id)
  return found ?? (yield* Effect.die(new Error(`payout ${id} is not kept`)))
})

/** Inventory that is owed to a wallet is reserved for it. */
const makePayout = Effect.fnUntraced(function*(due: DuePayment) {
  const reservations = yield* InventoryReservations
  const { amount, chain, currency, orderId } = due.payment
  yield* reservations.note({
    orderId,
    chainId: chain.id,
    currency: currency.address,
    part: "output",
    holding: "account",
    amount
  })
  const { _tag } = yield* pay(due)
  yield* reservations.clear(orderId)
  return _tag === "Paid" ? "paid" : "returned"
})

const guard = Effect.fnUntraced(function*(due: DuePayment) {
  const losses = yield* Losses
  const { _tag } = yield* guardPayment(due)
  if (_tag === "Paid") {
    yield* losses.recover(due.deposit.onchainId, ["payment"], yield* Clock.currentTimeMillis)
    return "paid"
  }
  yield* countStuck("payout-reverted-by-reorganisation")
  yield* Effect.logError(
    `a payout on ${due.payment.chain.slug} that was in a block was reverted by a reorganisation: its money is the wallet's again`
  )
  return "returned"
})

const close = Effect.fnUntraced(function*(payout: Payout, round: number, outcome: PayoutOutcome) {
  const payments = yield* Payments
  const payouts = yield* Payouts
  const made = outcome === "returned" ? yield* payments.find(OrderId.make(payout.id), "payout") : undefined
  // Another process may have signed it meanwhile: then its money stays reserved, and its next round follows that payment.
  if (outcome === "returned" && (made === undefined || made.state === "reverted")) {
    yield* countStuck("payout-returned")
    yield* Effect.logError(`payout ${payout.id} could not be made: what was set aside for it is the wallet's again`)
  }
  // The domain made the reservation, and nothing else moves it. If the ledger refuses, the step stays open until an
  // operator has looked.
  const movement = yield* Effect.orDie(Effect.fromResult(ending(payout, round, outcome)))
  const closed = payouts.close(payout.id, round, outcome, movement, yield* Clock.currentTimeMillis)
  yield* Effect.catchTag(closed, "LedgerRefused", (refused) => Effect.die(refused))
})

export const layer = PayoutWorkflow.toLayer(
  Effect.fn("Payout")(function*({ id, round = 0 }) {
    const payout = yield* load(id).pipe(retryForever("payout.load"))
    const due = yield* duePayout(payout).pipe(retryForever("payout.leg"))
    const first = yield* step("payout.pay", makePayout(due).pipe(retryForever("payout.pay")))
    const outcome = first === "returned"
      ? first
      : yield* step("payout.guard", guard(due).pipe(retryForever("payout.guard")))
    yield* step("payout.close", close(payout, round, outcome).pipe(retryForever("payout.close")))
    return outcome
  })
)
