/**
 * Returns the part of a filled or refunded deposit that its payment was not made for, less gas: at a strict address what
 * it had above the quoted amount (ADDRESS-7), and what came back more than left when a reorg took a deposit that was
 * paid for (REFUND-9).
 *
 * A separate payment: it does not change a request that has ended. An excess that is not worth its gas is only recorded.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import type { PaidBeside } from "../../../../ports/chain/PaymentKinds.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../../ports/store/orders/Payments.ts"
import type { Address } from "../../../domain/chain/Address.ts"
import { findCurrency, keepsNoPayment } from "../../../domain/chain/Chain.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { excessOf } from "../../../domain/transfer/refund/Excess.ts"
import { planRefund } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { countStuck } from "../../operations/Meters.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { step } from "../FillingSteps.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { excessLeg, paidFor } from "../PaidFor.ts"
import { OWED } from "../../payments/DuePayment.ts"
import { guardPayment } from "../../payments/guard/GuardPayment.ts"
import { pay } from "../../payments/pay/PayUntil.ts"
import { isClaimed } from "../../payments/Payout.ts"
import type { Payout } from "../../payments/Payout.ts"
import { allowGrown } from "./AllowGrown.ts"
import type { SettlesBy } from "./AllowGrown.ts"
import { takeForgottenExcess } from "./ForgottenExcess.ts"
import { priceRefund } from "./PriceRefund.ts"
import { waitUntilOwnFinal } from "../WaitUntilFinal.ts"

/** The deposit, and where what is returned of it goes. */
interface Returning {
  readonly chain: Chain
  readonly currency: Currency
  readonly recipient: Address
  readonly transfer: RefundedTransfer
  readonly claimant: ConfirmedClaimant
  readonly settles: SettlesBy
}

const dueExcess = (
  { chain, claimant: { deposit }, currency, recipient, transfer: { orderId } }: Returning,
  amount: bigint,
  priced: { readonly rent?: bigint; readonly codeUnits?: bigint | undefined; readonly besides?: PaidBeside } = {}
) => ({
  purpose: excessLeg(deposit),
  deposit,
  payment: {
    _tag: "Excess" as const,
    chain,
    currency,
    recipient,
    amount,
    orderId,
    ...(priced.besides === undefined ? {} : { besides: priced.besides })
  },
  rent: priced.rent,
  codeUnits: priced.codeUnits,
  patience: OWED,
  notAfter: undefined,
  shown: undefined
})

const tellUnpaid = Effect.fnUntraced(function*(
  { claimant: { deposit: { onchainId, transactionId } }, recipient }: Returning,
  owed: bigint
) {
  yield* countStuck("unrefundable")
  yield* Effect.logError(
    `${owed} of the deposit ${transactionId} (${onchainId}) are above what was paid for and could not be given back to ${recipient}: pay them by hand`
  )
})

/** Zero when it is not worth its gas. The sweep of the whole deposit is already in the fees of its fill. */
const priced = (returning: Returning, excess: bigint) => priceRefund(dueExcess(returning, excess).payment, "sent", 0n)

/** It would open an account, whose opening its price does not hold: it is priced again (REFUND-12). */
const opensMore = (payout: Payout): boolean => payout._tag === "Unpaid" && payout.why === "unborne"

/**
 * A signed payment keeps its amount, whatever gas costs meanwhile. One excess is returned: a further one is told.
 * Undefined when it has expired, and would open an account if it were signed again.
 */
const payStored = Effect.fnUntraced(function*(returning: Returning, stored: StoredPayment, further: bigint) {
  const more = stored.state !== "reverted" && further > 0n ? yield* priced(returning, further) : undefined
  if (more === "refused" || (more !== undefined && more.net !== 0n)) yield* tellUnpaid(returning, further)
  const payout = yield* pay(dueExcess(returning, stored.amount, { rent: 0n }))
  if (payout._tag === "Paid") return "paid" as const
  if (opensMore(payout)) return undefined
  yield* tellUnpaid(returning, stored.amount)
  return "recorded" as const
})

const payOnce = Effect.fnUntraced(function*(returning: Returning) {
  const { chain, claimant: { deposit }, recipient, transfer } = returning
  const { besides: [paid, ...others], excess: known, held, unpaid } = yield* paidFor(transfer, deposit, chain)
  if (known !== undefined) return yield* payStored(returning, known, unpaid ?? 0n)
  const excess = unpaid ?? excessOf(transfer, deposit)
  if (excess === 0n || paid === undefined || others.length > 0) return "recorded"
  if (held !== undefined) return yield* held
  // A deposit that is gone has no excess. When it has moved, its new place returns the excess.
  if ((yield* waitUntilOwnFinal(chain, deposit)) !== "final") return "recorded"
  const forgotten = yield* takeForgottenExcess(transfer, deposit, excess)
  if (forgotten !== undefined) return yield* payStored(returning, forgotten, 0n)
  const price = yield* priced(returning, excess)
  if (price !== "refused" && price.net === 0n) return "recorded"
  if (price === "refused" || keepsNoPayment(chain, recipient)) {
    yield* tellUnpaid(returning, excess)
    return "recorded"
  }
  if (!(yield* allowGrown(returning, paid, excess))) return "recorded"
  const { deposited, leg } = paid
  const besides = { recorded: deposit.amount, leg, deposited }
  const { codeUnits, net, rent } = price
  const payout = yield* pay(dueExcess(returning, net, { rent, codeUnits, besides }))
  if (payout._tag === "Paid") return "paid"
  if (opensMore(payout)) return undefined
  const isGone = payout._tag === "Unpaid" && payout.why === "undue"
  if (!isGone) yield* tellUnpaid(returning, excess)
  return "recorded"
})

const payExcess = Effect.fnUntraced(function*(returning: Returning) {
  while (true) {
    const paid = yield* payOnce(returning)
    if (paid !== undefined) return paid
  }
})

const guardExcess = Effect.fnUntraced(function*(returning: Returning) {
  const payments = yield* Payments
  const losses = yield* Losses
  const { claimant: { deposit }, transfer: { orderId } } = returning
  const stored = yield* payments.find(orderId, excessLeg(deposit))
  if (stored === undefined) return
  const kept = yield* guardPayment(dueExcess(returning, stored.amount))
  if (kept._tag === "Paid") yield* losses.recover(deposit.onchainId, ["payment"], yield* Clock.currentTimeMillis)
  else if (!isClaimed(kept)) yield* tellUnpaid(returning, stored.amount)
})

/** For a deposit that is final, and whose fill or refund is final. `settles`: whether that still settles it. */
export const returnExcess = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, settles: SettlesBy) {
    const { deposit } = claimant
    const currency = findCurrency(chain, deposit.currency)
    const { recipient } = planRefund(transfer, deposit)
    if (currency === undefined || recipient === undefined) return
    // A deposit that was never gone or corrected has what its payment was made for.
    if (claimant.sighting === 1 && excessOf(transfer, deposit) === 0n) return
    const returning: Returning = { chain, currency, recipient, transfer, claimant, settles }
    const outcome = yield* step("excess.pay", payExcess(returning).pipe(retryForever("excess.pay")))
    if (outcome === "paid") yield* step("excess.guard", guardExcess(returning).pipe(retryForever("excess.guard")))
  }
)
