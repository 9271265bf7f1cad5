/**
 * Returns what a filled deposit at a strict address had above the quoted amount, less gas (ADDRESS-7).
 *
 * A separate payment: it does not change a request that has succeeded. An excess that is not worth its gas is only
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
import { retryForever } from "../../polling/RetryForever.ts"
import { step } from "../FillingSteps.ts"
import { OWED } from "../../payments/DuePayment.ts"
import { guardPayment } from "../../payments/guard/GuardPayment.ts"
import { pay } from "../../payments/pay/PayUntil.ts"
import { isClaimed } from "../../payments/Payout.ts"
import { takeForgottenExcess } from "./ForgottenExcess.ts"
import { priceRefund } from "./PriceRefund.ts"
import { waitUntilFinal } from "../WaitUntilFinal.ts"

const dueExcess = ({ origin, originCurrency }: Route, transfer: Transfer, deposit: Deposit, amount: bigint) => ({
  purpose: `excess:${deposit.onchainId}` as const,
  deposit,
  payment: {
    _tag: "Excess" as const,
    chain: origin,
    currency: originCurrency,
    recipient: transfer.terms.refundTo,
    amount,
    orderId: transfer.orderId
  },
  patience: OWED,
  notAfter: undefined,
  shown: undefined
})

type DueExcess = ReturnType<typeof dueExcess>

const unpaid = Effect.fnUntraced(function*({ onchainId, transactionId }: Deposit) {
  yield* countStuck("unrefundable")
  yield* Effect.logError(
    `what was paid above the quoted amount could not be given back: ${transactionId} (${onchainId})`
  )
})

/** A signed payment keeps its amount, whatever gas costs meanwhile. */
const payExcess = Effect.fnUntraced(function*(
  dueOf: (amount: bigint) => DueExcess,
  transfer: Transfer,
  deposit: Deposit,
  excess: bigint
) {
  const payments = yield* Payments
  const { payment, purpose } = dueOf(excess)
  const { chain, orderId } = payment
  const { held, payments: [known] } = yield* payments.standing(orderId, [purpose], [chain])
  if (known === undefined && held !== undefined) return yield* held
  // A deposit that is gone has no excess. When it has moved, its new place returns the excess.
  if (known === undefined && (yield* waitUntilFinal(chain, { orderId }, deposit)) !== "final") return "recorded"
  const stored = known ?? (yield* takeForgottenExcess(transfer, deposit))
  // The sweep of the whole deposit is already in the fees of its fill.
  const priced = stored === undefined ? yield* priceRefund(payment, "sent", 0n) : { net: stored.amount }
  if (priced !== "refused" && priced.net === 0n) return "recorded"
  const payout = priced === "refused" ? undefined : yield* pay(dueOf(priced.net))
  if (payout?._tag === "Paid") return "paid"
  const isGone = payout?._tag === "Unpaid" && payout.why === "undue"
  if (!isGone && !isClaimed(payout)) yield* unpaid(deposit)
  return "recorded"
})

const guardExcess = Effect.fnUntraced(function*(dueOf: (amount: bigint) => DueExcess, deposit: Deposit) {
  const payments = yield* Payments
  const losses = yield* Losses
  const { payment, purpose } = dueOf(0n)
  const stored = yield* payments.find(payment.orderId, purpose)
  if (stored === undefined) return
  const kept = yield* guardPayment(dueOf(stored.amount))
  if (kept._tag === "Paid") yield* losses.recover(deposit.onchainId, ["payment"], yield* Clock.currentTimeMillis)
  else if (!isClaimed(kept)) yield* unpaid(deposit)
})

export const returnExcess = Effect.fnUntraced(function*(route: Route, transfer: Transfer, deposit: Deposit) {
  const excess = excessOf(transfer, deposit)
  if (excess === 0n) return
  const dueOf = (amount: bigint) => dueExcess(route, transfer, deposit, amount)
  const outcome = yield* step(
    "excess.pay",
    payExcess(dueOf, transfer, deposit, excess).pipe(retryForever("excess.pay"))
  )
  if (outcome === "paid") yield* step("excess.guard", guardExcess(dueOf, deposit).pipe(retryForever("excess.guard")))
})
