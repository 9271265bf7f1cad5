/**
 * Who pays when the calls of a fill revert: the deposit, as far as its order allows, and the solver for the rest,
 * within REVERTED_CALLS_USD. `RefundDeposit` subtracts the deposit's part from the refund.
 *
 * SECURITY: the part that the deposit does not cover is reserved before anything is signed, for the very transaction
 * that will be signed. It counts against the account that paid by the chain's proof, so that nobody can use up
 * another's share.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { CallLosses } from "../../../../ports/store/ledger/CallLosses.ts"
import type { CallLossCaps } from "../../../../ports/store/ledger/CallLosses.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import type { PreparedPayment } from "../../../../ports/chain/Treasury.ts"
import { convertCeil, usdCeil } from "../../../domain/money/Currency.ts"
import { microsCeil } from "../../../domain/money/Usd.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { runsCalls, uncoveredCalls } from "../../../domain/transfer/payment/RevertedCalls.ts"
import type { Transfer } from "../../../domain/transfer/Transfer.ts"
import { provenDepositor } from "../../../domain/transfer/deposit/ProvenDepositor.ts"
import type { Route } from "../../quoting/market/MarketFacts.ts"
import { countStuck } from "../../operations/Meters.ts"
import { Policy } from "../../operations/Policy.ts"
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

/**
 * The part of a fill's cost that its deposit does not cover, micro-dollars. The cost is in the destination's native
 * currency.
 */
const uncoveredUsd = Effect.fnUntraced(
  function*({ destination, originCurrency }: Route, transfer: Transfer, { amount }: Deposit, cost: bigint) {
    const prices = yield* Prices
    const [native, origin] = yield* Effect.all([prices.priceOf(destination.native), prices.priceOf(originCurrency)])
    return microsCeil(usdCeil(uncoveredCalls(convertCeil(cost, native, origin), transfer, amount), origin))
  }
)

/**
 * Undefined for a fill without strangers' calls. Otherwise true when the solver takes the risk of the transaction to be
 * signed: a fill, or its replacement at a higher fee, which adds to the same reservation.
 */
export const reserveCallLoss = (route: Route, transfer: Transfer, deposit: Deposit) => {
  if (!runsCalls(transfer)) return undefined
  return Effect.fnUntraced(function*({ mostGas = 0n }: Pick<PreparedPayment, "mostGas">) {
    const losses = yield* CallLosses
    const { revertedCalls: cap } = yield* Policy
    const usdMicros = yield* uncoveredUsd(route, transfer, deposit, mostGas)
    if (usdMicros === 0n) return true
    const loss = { orderId: transfer.orderId, sender: senderOf(transfer, deposit), usdMicros }
    if (yield* losses.reserve(loss, callLossCaps(cap), yield* Clock.currentTimeMillis)) return true
    if (cap > 0n) yield* countStuck("reverted-calls-capped")
    yield* Effect.logError(
      `the txs of a fill on ${route.destination.slug} could cost ${usdMicros} micro-dollars more than its deposit covers, and REVERTED_CALLS_USD, or the tenth of it for ${loss.sender}, has no room for that with the losses of the last 24 hours: an unsigned fill is not made and its deposit is refunded, a stuck one is replaced with less gas`
    )
    return false
  })
}

/**
 * A fill that succeeded loses nothing. One that reverted loses what its deposit does not cover, until its refund says
 * what it paid.
 */
export const settleCalls = Effect.fnUntraced(
  function*(route: Route, transfer: Transfer, deposit: Deposit, payout: Payout) {
    if (!runsCalls(transfer)) return
    const losses = yield* CallLosses
    const usdMicros = payout._tag === "Reverted" ? yield* uncoveredUsd(route, transfer, deposit, payout.gasPaid) : 0n
    yield* losses.settle(
      { orderId: transfer.orderId, sender: senderOf(transfer, deposit), usdMicros },
      yield* Clock.currentTimeMillis
    )
  }
)

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
