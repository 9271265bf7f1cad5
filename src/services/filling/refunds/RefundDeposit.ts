/**
 * Sends a deposit back, less the gas of doing so as far as the order allows, and says what that means for the request
 * (REFUND-1).
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { Gas } from "../../../../ports/chain/Gas.ts"
import { Losses } from "../../../../ports/store/ledger/Losses.ts"
import { Payments } from "../../../../ports/store/orders/Payments.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { Transfers } from "../../../../ports/store/orders/Transfers.ts"
import { UnattestedRefunds } from "../../../../ports/store/ledger/UnattestedRefunds.ts"
import type { Payment } from "../../../../ports/chain/PaymentKinds.ts"
import type { Address } from "../../../domain/chain/Address.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { findChain, findCurrency, keepsNoPayment } from "../../../domain/chain/Chain.ts"
import { convertCeil, usdCeil } from "../../../domain/money/Currency.ts"
import type { Currency } from "../../../domain/money/Currency.ts"
import { maxOf, minOf } from "../../../domain/money/Rounding.ts"
import { microsCeil } from "../../../domain/money/Usd.ts"
import { planSettledRefund } from "../../../domain/hub/settling/SettledRefund.ts"
import type { Deposit } from "../../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../../domain/transfer/FailReason.ts"
import { planRefund, refundAmount } from "../../../domain/transfer/refund/RefundPlan.ts"
import type { RefundedTransfer } from "../../../domain/transfer/refund/RefundedTransfer.ts"
import { chargedCalls, leastAfterRevert, lostCalls, runsCalls } from "../../../domain/transfer/payment/RevertedCalls.ts"
import type { RevertedRefund } from "../../../domain/transfer/payment/RevertedCalls.ts"
import { countRevertedCalls, countStuck } from "../../operations/Meters.ts"
import { submissionGas } from "../../permits/SubmissionGas.ts"
import { persistently } from "../../polling/Persistently.ts"
import { Policy } from "../../operations/Policy.ts"
import { showUnattested } from "../../operations/UnattestedLosses.ts"
import { settleRefunded } from "../BearCalls.ts"
import { findDelivery } from "../Delivery.ts"
import { step } from "../FillingSteps.ts"
import { releaseSponsor } from "../HoldSponsor.ts"
import { canBeMinted } from "../MintedTransaction.ts"
import type { ConfirmedClaimant } from "../MintedTransaction.ts"
import { noteValues } from "../NoteValues.ts"
import { guardLeg, payLeg } from "../PayLeg.ts"
import type { LegPayment, Payout } from "../PayLeg.ts"
import { stands } from "../UntilFinal.ts"

/**
 * What giving back the payment's amount would pay now, in smallest units of its currency; zero when it is not worth its
 * gas. `came`: what was swept to be given back bears the sweep, which nobody else pays. `spent`: gas that the deposit
 * has cost the operator besides, smallest units of the native currency.
 */
export const priceRefund = Effect.fnUntraced(
  function*(chain: Chain, payment: Payment, came: "sent" | "swept", spent: bigint) {
    const gas = yield* Gas
    const prices = yield* Prices
    const [cost, { least, rent }, sweep, native, currency] = yield* Effect.all([
      gas.ofPayment(payment),
      gas.opening(payment),
      came === "swept" ? gas.ofSweep(chain, payment.currency) : Effect.succeed(0n),
      prices.priceOf(chain.native),
      prices.priceOf(payment.currency)
    ], { concurrency: "unbounded" })
    const left = refundAmount(payment.amount, convertCeil(cost + rent + sweep + spent, native, currency))
    // The chain would not keep it.
    return { net: left < least ? 0n : left, least }
  },
  Effect.catchTag("PaymentRefused", () => Effect.succeed("refused" as const))
)

/** A refund is owed: it waits for money for as long as it takes. */
export const PATIENCE = Duration.days(365)

/**
 * What was reserved under the cap is reserved anew when it was not signed for so long, seconds: it counts from when it
 * is signed.
 */
const RESERVED_SECONDS = 3_600

const isPaid = ({ _tag }: Payout): boolean => _tag === "Paid"

/** The deposit has the order's fill, or what was delivered in its place. */
const isFilled = Effect.fnUntraced(function*({ orderId }: RefundedTransfer, { onchainId }: Deposit) {
  const fill = yield* findDelivery(orderId)
  return fill !== undefined && fill.deposit === onchainId && fill.state !== "reverted"
})

/**
 * What a payment under another leg means for the deposit: it was filled by whoever judged it at the same time, and
 * nothing goes back; or its excess went back beside a fill that a reorganisation past finality has undone. Then the
 * quoted amount is owed, and a person has to see to it: no refund stands beside an excess, by which a deposit could go
 * back twice.
 */
const excluded = Effect.fnUntraced(function*(transfer: RefundedTransfer, deposit: Deposit, why: FailReason) {
  if (yield* isFilled(transfer, deposit)) return { outcome: "filled" as const, why }
  const { amountIn, refundTo } = transfer.terms
  yield* Effect.logError(
    `${amountIn} of the deposit ${deposit.onchainId} are owed to ${refundTo}: what it had above the quoted amount went back, and then its fill was undone`
  )
  return { outcome: "unrefundable" as const, why: "UNKNOWN" as const }
})

/** Whoever pays to a deposit address has it swept. */
const atAddress = ({ terms }: RefundedTransfer): boolean => terms.depositAddress !== undefined

/** The refund of a deposit whose fill has reverted; undefined where none has for it. */
const revertedFill = Effect.fnUntraced(
  function*(
    transfer: RefundedTransfer,
    { amount: deposited, onchainId }: Deposit,
    currency: Currency,
    { least, net }: { readonly least: bigint; readonly net: bigint }
  ) {
    const payments = yield* Payments
    const fill = runsCalls(transfer) ? yield* payments.find(transfer.orderId, "fill") : undefined
    if (fill?.gasPaid === undefined || fill.state !== "reverted" || fill.deposit !== onchainId) return undefined
    const chains = yield* Chains
    const filled = findChain(chains.all, fill.chainId)
    if (filled === undefined) return undefined
    const prices = yield* Prices
    const [native, own] = yield* Effect.all([prices.priceOf(filled.native), prices.priceOf(currency)])
    const refund: RevertedRefund = {
      deposited,
      net,
      least,
      cost: convertCeil(fill.gasPaid, native, own),
      bounds: transfer.terms.refundBounds
    }
    return { filled, refund, own }
  }
)

type RevertedFill = Effect.Success<ReturnType<typeof revertedFill>>

/** What the refund leaves of the cost of the reverted fill is the solver's loss. */
const noteLost = Effect.fnUntraced(
  function*(transfer: RefundedTransfer, deposit: Deposit, reverted: RevertedFill, paid: bigint) {
    if (reverted === undefined) return
    const lost = microsCeil(usdCeil(lostCalls(reverted.refund, paid), reverted.own))
    yield* settleRefunded(transfer, deposit, lost)
    yield* countRevertedCalls(reverted.filled.slug, lost)
  }
)

/** How a refund that is not signed yet may be signed; undefined when it is beyond the cap. */
interface Permit {
  /** Smallest units. */
  readonly amount: bigint
  /** Seconds. Not signed by then, it is decided again. */
  readonly notAfter: number
}

/**
 * SECURITY: what nothing settles is paid within the cap only, by its whole deposit: that is the refund and the gas of
 * it. So is the gas that the solver bears of what strangers deposited, who could have it burn much of that with little
 * of theirs; anybody can pay to a deposit address.
 */
const permit = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    claimant: ConfirmedClaimant,
    recipient: Address,
    currency: Currency,
    net: bigint,
    reverted: RevertedFill
  ) {
    const { deposit: { amount: deposited, depositor, onchainId } } = claimant
    const at = yield* Clock.currentTimeMillis
    const now = Math.ceil(at / 1000)
    const mintable = yield* canBeMinted(chain, claimant)
    const planned = planSettledRefund(transfer.order, {
      chain,
      currency: currency.address,
      recipient,
      depositor,
      deposited
    }, {
      net: reverted === undefined ? net : net - chargedCalls(reverted.refund),
      mintable,
      now
    })
    const amount = reverted === undefined
      ? planned.amount
      : planned._tag === "Unattestable"
      ? net
      : maxOf(planned.amount, leastAfterRevert(reverted.refund))
    const within = planned._tag === "Attestable" ? planned.notAfter : now + RESERVED_SECONDS
    // Of what settles the solver bears some of the gas; how often a stranger may have it do so is bounded as well.
    const borne = planned._tag === "Unattestable"
      ? deposited
      : planRefund(transfer, claimant.deposit).decides && !atAddress(transfer)
      ? 0n
      : maxOf(0n, amount - net)
    if (borne === 0n || amount === 0n) return { amount, notAfter: within } satisfies Permit
    const prices = yield* Prices
    const unattested = yield* UnattestedRefunds
    const { droppedAddressRefunds, unattestedRefunds } = yield* Policy
    const cap = transfer.isDropped === true ? minOf(unattestedRefunds, droppedAddressRefunds) : unattestedRefunds
    const lost = microsCeil(usdCeil(borne, yield* prices.priceOf(currency)))
    return (yield* unattested.reserve({ onchainId, usdMicros: lost }, cap, at))
      ? { amount, notAfter: Math.min(within, now + RESERVED_SECONDS) } satisfies Permit
      : undefined
  }
)

/** `capped`: it waits for an operator, and for room under the cap. `gone`: it is not there to go back. */
type Refunded =
  | { readonly outcome: "filled" | "refunded" | "unrefundable"; readonly why: FailReason }
  | { readonly outcome: "capped" }
  | { readonly outcome: "gone" }

/** Pays the refund leg, unless it was not signed while that was right: undefined. */
const payOnce = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    const { deposit } = claimant
    const payments = yield* Payments
    const currency = findCurrency(chain, deposit.currency)
    if (currency === undefined) return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    const name = `refund:${deposit.onchainId}` as const
    const { recipient } = planRefund(transfer, deposit)
    // It waits until somebody says whose it is; the history shows it.
    if (recipient === undefined) return { outcome: "unrefundable", why: reason } satisfies Refunded
    const payment = {
      _tag: "Refund",
      chain,
      currency,
      recipient,
      orderId: transfer.orderId,
      amount: deposit.amount
    } as const
    // Nothing is concluded from there being no refund before it is known what was paid since a backup.
    if ((yield* payments.find(transfer.orderId, name)) === undefined) yield* payments.refuseHeld(chain)
    // A refund that was signed keeps its amount, whatever gas costs meanwhile.
    const stored = yield* payments.find(transfer.orderId, name)
    // Depositors are what their senders say: what the depository were given back would name the order and be a deposit
    // again.
    if (stored === undefined && keepsNoPayment(chain, payment.recipient)) {
      return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    }
    const priced = stored !== undefined
      ? { net: stored.amount, least: 0n }
      : yield* priceRefund(
        chain,
        payment,
        atAddress(transfer) ? "swept" : "sent",
        yield* submissionGas(chain, transfer, deposit)
      )
    if (priced === "refused") return { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
    const reverted = stored === undefined ? yield* revertedFill(transfer, deposit, currency, priced) : undefined
    // Should it lose its sequence to a transaction that is not ours, it is decided again.
    const permitted: Permit | undefined = stored === undefined
      ? yield* permit(chain, transfer, claimant, recipient, currency, priced.net, reverted)
      : { amount: stored.amount, notAfter: 0 }
    if (permitted === undefined) return { outcome: "capped" } satisfies Refunded
    const { amount, notAfter } = permitted
    if (amount === 0n) return { outcome: "unrefundable", why: "AMOUNT_TOO_LOW_TO_REFUND" } satisfies Refunded
    yield* noteLost(transfer, deposit, reverted, amount)
    const leg: LegPayment = {
      transfer,
      leg: name,
      deposit,
      payment: { ...payment, amount },
      patience: PATIENCE,
      notAfter,
      isDue: yield* stands(chain, transfer, deposit),
      shown: undefined
    }
    const payout = yield* payLeg(leg)
    if (payout._tag === "Unpaid" && payout.why === "undue") return { outcome: "gone" } satisfies Refunded
    if (payout._tag === "Unpaid" && payout.why === "expired") return undefined
    if (payout._tag === "Unpaid" && payout.why === "claimed") return yield* excluded(transfer, deposit, reason)
    if (isPaid(payout)) yield* noteValues(deposit, [currency, chain.native])
    if (isPaid(payout)) yield* showUnattested
    return isPaid(payout)
      ? { outcome: "refunded", why: reason } satisfies Refunded
      : { outcome: "unrefundable", why: "UNKNOWN" } satisfies Refunded
  }
)

/** Pays the refund leg and says what came of it; nothing is shown of it before it is paid. */
export const payRefund = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    while (true) {
      const paid = yield* payOnce(chain, transfer, claimant, reason)
      if (paid !== undefined) return paid
    }
  }
)

/** Which remedy an operator has: where the request is gone, none by it, and the refund is tried again by itself. */
const remedyOf = ({ id }: RefundedTransfer, { onchainId }: Deposit, again: Duration.Duration | undefined) =>
  again === undefined
    ? `look at it, raise the cap (or wait, if it is below the cap), then POST /admin/requests/${id}/retry, or have it paid in spite of the cap by that call with {"inSpiteOfCap":{"deposit":"${onchainId}","by":"<who decided>"}}`
    : `its request was dropped, and it is tried again every ${
      Duration.format(again)
    } while DROPPED_ADDRESS_REFUNDS_USD leaves no room for it`

/** What waits for room under the cap has not ended: its request neither, and an operator is told what to do. */
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
      `a deposit on ${chain.slug} is not given back, because nothing would give it back to the solver and it does not fit under UNATTESTED_REFUNDS_USD beside the others of the last 24 hours: ${deposit.transactionId} (${deposit.onchainId}); ${
        remedyOf(transfer, deposit, again)
      }`
    )
    if (!isRequests) return
    const transfers = yield* Transfers
    yield* transfers.move(transfer.id, { to: "delayed", at: yield* Clock.currentTimeMillis })
  }
)

/** Moves the request when this deposit's fate is the request's, and says so to operators when money stays here. */
const conclude = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    deposit: Deposit,
    reason: FailReason,
    refunded: Refunded,
    again?: Duration.Duration
  ) {
    // A second deposit's fate is its own: the order was filled for the first.
    const isRequests = reason !== "DOUBLE_SPEND" && planRefund(transfer, deposit).decides
    if (refunded.outcome === "filled") return
    if (refunded.outcome === "gone") {
      // Should it come back, it is looked at anew; where it moved to has a filling of its own.
      return yield* Effect.logError(
        `a deposit on ${chain.slug} that was to be given back is no longer on the chain, and nothing is paid for it: ${deposit.transactionId} (${deposit.onchainId})`
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

/** Whether the refund is still there after its guard; what is to be told of it otherwise is told. */
const guardOnce = Effect.fnUntraced(function*(chain: Chain, transfer: RefundedTransfer, deposit: Deposit) {
  const payments = yield* Payments
  const currency = findCurrency(chain, deposit.currency)
  const name = `refund:${deposit.onchainId}` as const
  const { recipient } = planRefund(transfer, deposit)
  const stored = yield* payments.find(transfer.orderId, name)
  if (currency === undefined || recipient === undefined) return true
  if (stored === undefined) return false
  const payment = {
    _tag: "Refund",
    chain,
    currency,
    recipient,
    amount: stored.amount,
    orderId: transfer.orderId
  } as const
  // What a reorganisation let lose its sequence is not signed as it was: deadline and cap are asked again.
  const kept = yield* guardLeg({
    transfer,
    leg: name,
    deposit,
    payment,
    patience: PATIENCE,
    notAfter: 0,
    shown: undefined
  })
  if (kept._tag === "Unpaid" && kept.why === "expired") return false
  if (isPaid(kept)) {
    const losses = yield* Losses
    const now = yield* Clock.currentTimeMillis
    yield* losses.recover(deposit.onchainId, "payment", now)
    // On the same chain and before it: what was refunded is as final as its refund.
    yield* losses.recover(deposit.onchainId, "deposit", now)
  } else {
    yield* countStuck("refund-reverted-by-reorganisation")
    yield* Effect.logError(
      `a refund on ${chain.slug} that was made was reverted by a reorganisation: ${deposit.transactionId}`
    )
  }
  return true
})

/**
 * Looks after the refund until it is final, and decides it again where there is none any more, be it for a crash in
 * between.
 */
export const guardRefund = Effect.fnUntraced(
  function*(chain: Chain, transfer: RefundedTransfer, claimant: ConfirmedClaimant, reason: FailReason) {
    while (!(yield* guardOnce(chain, transfer, claimant.deposit))) {
      const again = yield* payRefund(chain, transfer, claimant, reason)
      if (again.outcome === "refunded") continue
      // The request has ended, which stays so; the money is here, and operators are told.
      return yield* conclude(chain, transfer, claimant.deposit, reason, again)
    }
  }
)

/** What the guard left: a refund that is gone and was not allowed again may be tried again by an operator. */
const keptOutcome = Effect.fnUntraced(function*({ orderId }: RefundedTransfer, { onchainId }: Deposit) {
  const payments = yield* Payments
  return (yield* payments.find(orderId, `refund:${onchainId}`)) === undefined
    ? "unrefundable" as const
    : "refunded" as const
})

/**
 * `cappedAgain`: what the cap holds back is tried again so much later; undefined where an operator has it tried again.
 */
export const refundDeposit = Effect.fnUntraced(
  function*(
    chain: Chain,
    transfer: RefundedTransfer,
    claimant: ConfirmedClaimant,
    reason: FailReason,
    cappedAgain?: Duration.Duration
  ) {
    const { deposit } = claimant
    const outcome = yield* step(
      "refund.pay",
      Effect.gen(function*() {
        // A refund may wait for its money; the sponsor's does not wait with it.
        yield* releaseSponsor(transfer, claimant)
        let isTold = false
        while (true) {
          const paid = yield* payRefund(chain, transfer, claimant, reason)
          if (paid.outcome !== "capped" || !isTold) {
            yield* conclude(chain, transfer, deposit, reason, paid, cappedAgain)
          }
          if (paid.outcome !== "capped") {
            return paid.outcome
          }
          if (cappedAgain === undefined) {
            return "unrefundable"
          }
          isTold = true
          yield* Effect.sleep(cappedAgain)
        }
      }).pipe(persistently("refund.pay"))
    )
    if (outcome !== "refunded") return outcome
    yield* step("refund.guard", guardRefund(chain, transfer, claimant, reason).pipe(persistently("refund.guard")))
    return yield* step("refund.kept", keptOutcome(transfer, deposit).pipe(persistently("refund.kept")))
  }
)
