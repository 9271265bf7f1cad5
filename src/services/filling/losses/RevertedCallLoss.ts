/**
 * Who pays when a fill that runs strangers' code reverts: the deposit, as far as its order allows, and the solver for
 * the rest, within REVERTED_CALLS_USD (REFUND-11). `RefundDeposit` subtracts the deposit's part from the refund.
 *
 * SECURITY: the part that the deposit does not cover is reserved before anything is signed, for the very transaction
 * that will be signed. It counts against the account that paid by the chain's proof, so that nobody can use up
 * another's share.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CallLosses } from "../../../../ports/store/ledger/CallLosses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { callsIn, callsRecipient } from "../../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import { convertCeil, usdCeil } from "../../../domain/money/Currency.ts"
import { microsCeil } from "../../../domain/money/Usd.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { swapRisk } from "../../../domain/transfer/payment/CallLossRoom.ts"
import type { CallLossCaps, CallRiskKind } from "../../../domain/transfer/payment/CallLossRoom.ts"
import { paysForFill, runsCalls, uncoveredCalls } from "../../../domain/transfer/payment/RevertedCalls.ts"
import { fallsBack } from "../../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { provenDepositor } from "../../../domain/transfer/deposit/ProvenDepositor.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { countRevertedCalls, countStuck } from "../../operations/Meters.ts"
import { Policy } from "../../operations/Policy.ts"
import type { SigningStage } from "../../payments/DuePayment.ts"
import type { Payout } from "../../payments/Payout.ts"

/** At least this many senders are needed to use up the cap. */
const SENDERS = 10n

/** Caps on the loss by reverted calls in a day, micro-dollars: for all senders together, and for one of them. */
export const callLossCaps = (all: bigint): CallLossCaps => ({ all, sender: all / SENDERS })

/**
 * All deposits at deposit addresses have the same sender, the sweeping operator. There the address stands for the
 * payer.
 */
const senderOf = (transfer: RefundedTransfer, deposit: Deposit) =>
  transfer.terms.depositAddress?.address ?? provenDepositor(transfer, deposit)

/** Micro-dollars of a loss in the deposit's currency. The cost is in the destination's native currency. */
const lossUsd = Effect.fnUntraced(
  function*({ destination, originCurrency }: Route, cost: bigint, lostOf: (cost: bigint) => bigint) {
    if (cost === 0n) return 0n
    const prices = yield* Prices
    const [native, origin] = yield* Effect.all([prices.priceOf(destination.native), prices.priceOf(originCurrency)])
    return microsCeil(usdCeil(lostOf(convertCeil(cost, native, origin)), origin))
  }
)

/** What an earlier fill of the deposit has cost that reverted, in whose place this payment is made. */
const costBefore = Effect.fnUntraced(
  function*({ orderId }: Transfer, { onchainId }: Deposit, { purpose }: RiskyDelivery) {
    if (purpose === "fill") return 0n
    const payments = yield* Payments
    const fill = yield* payments.find(orderId, "fill")
    return fill?.state === "reverted" && fill.deposit === onchainId ? fill.gasPaid ?? 0n : 0n
  }
)

interface RiskyDelivery {
  readonly purpose: "fallback" | "fill"
  readonly payment: Payment
}

/**
 * The solver's risk by a delivery that can run strangers' code: calls of its request, or its recipient's code. Undefined
 * for every other. A delivery to an account that has no code when it is signed is judged like one to code where its order
 * has bounds, unless the deposit has paid for it as quoted: then it reserves nothing and asks the store for nothing.
 *
 * SECURITY: while this process runs it knows what it has reserved. After a restart it settles what another one may have
 * reserved.
 */
export const callRisk = (route: Route, transfer: Transfer, deposit: Deposit, delivery: RiskyDelivery) => {
  const { payment, purpose } = delivery
  const isWritten = purpose === "fill" && runsCalls(transfer)
  if (!isWritten && !callsRecipient(payment)) return undefined
  const sender = senderOf(transfer, deposit)
  const hasBounds = transfer.terms.refundBounds !== undefined
  /** The deposit covers a part only where a refund follows. A fallback delivers all of it, whatever the fill has cost. */
  const uncovered = (cost: bigint) => uncoveredCalls(cost, transfer, deposit.amount)
  const whole = (cost: bigint) => cost
  const ofRevert = purpose === "fill" && fallsBack(transfer.terms) ? whole : uncovered
  // A swap reverts without anybody's code, too. Its fallback delivers the deposit, so that nobody pays for the revert.
  const isLostSwap = hasBounds && !isWritten && purpose === "fill" && fallsBack(transfer.terms)
  let runsCode = isWritten || (hasBounds && callsIn(payment) !== undefined && !isLostSwap)
  let wasAsked = false
  let isOpen = false

  /** `before`: what an earlier fill of the order has cost. */
  const kindOf = (stage: SigningStage, before: bigint): CallRiskKind => {
    if (isLostSwap && !runsCode) return stage === "first" ? "swap" : "signed-swap"
    return before > 0n ? "calls-after-loss" : "calls"
  }

  const whatReverts = (kind: CallRiskKind): string => {
    if (kind === "swap" || kind === "signed-swap") return "the swap"
    return isWritten ? "the txs" : "the recipient's code, or code that comes to it before the block,"
  }

  /**
   * True when the solver takes the risk of the transaction to be signed: a delivery, or its replacement at a higher fee,
   * which adds to the same reservation.
   */
  const isBorne = Effect.fnUntraced(function*(
    prepared: Pick<PreparedPayment, "mostGas" | "runsCode">,
    stage: SigningStage
  ) {
    wasAsked = true
    runsCode ||= prepared.runsCode === true
    // Where code may only come before the block, what the quote has priced refuses nobody (REFUND-13).
    const isPriced = !hasBounds || (purpose === "fill" && paysForFill(transfer, deposit))
    if (!runsCode && !isLostSwap && isPriced) return true
    const losses = yield* CallLosses
    const { revertedCalls: cap } = yield* Policy
    const before = yield* costBefore(transfer, deposit, delivery)
    const usdMicros = yield* lossUsd(route, (prepared.mostGas ?? 0n) + before, ofRevert)
    if (usdMicros === 0n) return true
    const kind = kindOf(stage, before)
    const reserved = kind === "swap" || kind === "signed-swap" ? swapRisk(usdMicros) : usdMicros
    const loss = { orderId: transfer.orderId, sender, usdMicros: reserved, kind }
    // Also when it is refused: a process that was killed before it signed may have reserved something.
    isOpen = true
    if (yield* losses.reserve(loss, callLossCaps(cap), yield* Clock.currentTimeMillis)) return true
    if (cap > 0n) yield* countStuck("reverted-calls-capped")
    yield* Effect.logError(
      `${
        whatReverts(kind)
      } of a fill on ${route.destination.slug} could cost ${usdMicros} micro-dollars more than its deposit covers, and REVERTED_CALLS_USD, or the part of it for ${loss.sender}, has no room for that with the losses of the last 24 hours and what is in flight: an unsigned fill falls back if its request allows that, or its deposit is refunded, and a stuck one is replaced with less gas`
    )
    return false
  })

  /** What a payment has cost that reverted. A refund tells how much of it it has paid, where its order has bounds. */
  const lostBy = Effect.fnUntraced(function*(payout: Payout) {
    const before = yield* costBefore(transfer, deposit, delivery)
    if (payout._tag === "Paid") return yield* lossUsd(route, before, whole)
    return yield* lossUsd(route, before + (payout._tag === "Reverted" ? payout.gasPaid : 0n), ofRevert)
  })

  /**
   * A delivery that succeeded loses nothing by itself. One that reverted loses what its deposit does not cover, until
   * its refund says what it paid.
   */
  const settle = Effect.fnUntraced(function*(payout: Payout) {
    const isLost = payout._tag === "Reverted" && (runsCode || isLostSwap || callsIn(payment) === undefined)
    if (!isLost && !isWritten && !isOpen && wasAsked) return
    const losses = yield* CallLosses
    const usdMicros = yield* lostBy(payout)
    yield* losses.settle({ orderId: transfer.orderId, sender, usdMicros }, yield* Clock.currentTimeMillis)
    isOpen = false
    if (isLost && !hasBounds && !isWritten) yield* countRevertedCalls(route.destination.slug, usdMicros)
  })

  return { isBorne, isOpen: () => isOpen, settle }
}

export type CallRisk = NonNullable<ReturnType<typeof callRisk>>

/** The part of a reverted fill that its refund has not paid for, micro-dollars. */
export const settleRefunded = Effect.fnUntraced(
  function*(transfer: RefundedTransfer, deposit: Deposit, usdMicros: bigint) {
    const losses = yield* CallLosses
    yield* losses.settle(
      { orderId: transfer.orderId, sender: senderOf(transfer, deposit), usdMicros },
      yield* Clock.currentTimeMillis
    )
  }
)
