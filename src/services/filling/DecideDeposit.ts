/**
 * The verdict on a confirmed deposit: the domain's decision, with new market facts when the quoted price no longer
 * holds.
 */
import * as Effect from "effect/Effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { StoredPayment } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { turnOf } from "../../domain/deposit-address/TurnOf.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import { judge } from "../../domain/transfer/deposit/Judgement.ts"
import { isSameMoney } from "../../domain/transfer/deposit/SameMoney.ts"
import { payBy } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import type { FinalVerdict } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import { holdsUnits } from "../../domain/transfer/payment/CodeUnits.ts"
import { couldFill } from "../../domain/transfer/payment/CouldFill.ts"
import { deliveryOf } from "../../domain/transfer/payment/DeliveryOf.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { tentativeFill } from "../quoting/market/MarketFacts.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { countStuck } from "../operations/Meters.ts"
import { holdSponsor, isUsersToPay, noteCharge } from "./HoldSponsor.ts"
import type { Claimant } from "./HoldSponsor.ts"
import { canBeMinted } from "./MintedTransaction.ts"
import type { ConfirmedClaimant } from "./MintedTransaction.ts"
import { DEADLINE_MARGIN_SECONDS } from "./fill/DueDelivery.ts"
import { takeOverRefund } from "./refunds/MovedRefund.ts"
import { handOver, noteThoseBack } from "./refunds/HandOver.ts"
import { isClearlyGone, waitUntilKnown } from "./WaitUntilFinal.ts"
import { waitUntilServing } from "./WaitUntilServing.ts"
import { isAllOrNothing, reprice } from "./Repricing.ts"
import type { Payer, PricedVerdict } from "./Repricing.ts"

/**
 * A reorg removed the deposit since it was confirmed: nothing is paid for it, and in a block again it has a filling of its
 * own. Stored in a word that every release reads; no refund has this reason.
 */
const gone = { _tag: "Refund", reason: "DEPOSIT_REORGED" } as const

/** Whether the verdict is that the deposit is gone. */
export const isGone = (verdict: FinalVerdict): boolean => verdict._tag === "Refund" && verdict.reason === gone.reason

/** Records who pays the fees that a fill of this amount leaves out, before it can be signed. */
const charged = Effect.fnUntraced(
  function*(transfer: Transfer, { costs, verdict }: PricedVerdict, payer: Payer, filled: bigint) {
    if (verdict._tag !== "Fill" || costs === undefined) return verdict
    const allOrNothing = payer === "sponsor" && isAllOrNothing(transfer.terms, filled)
    yield* noteCharge(transfer, verdict.amountOut, { payer, costs, ...(allOrNothing ? { allOrNothing } : {}) })
    return verdict
  }
)

/**
 * The reason why a fill without its sponsor cannot be made: missing sponsor money, unless it could not be made at all.
 */
const unsponsored = ({ verdict }: PricedVerdict): FinalVerdict =>
  verdict._tag === "Refund" && (verdict.reason === "SLIPPAGE" || verdict.reason === "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL")
    ? { _tag: "Refund", reason: "SPONSOR_BALANCE_TOO_LOW" }
    : verdict

/**
 * True when no other deposit has decided the request or will. An earlier deposit decides it, however far its filling
 * is.
 */
const turnNow = Effect.fnUntraced(function*(transfer: Transfer, deposit: Deposit) {
  if (transfer.terms.depositAddress === undefined) return "first"
  const transfers = yield* Transfers
  const history = yield* TransferHistory
  const [now, all] = yield* Effect.all([transfers.find(transfer.id), history.deposits(transfer.orderId)])
  return turnOf(now ?? transfer, deposit, all.map((recorded) => recorded.deposit))
})

/** A request that has ended without a fill keeps its result: a deposit that is judged again is refunded. */
const endedUnfilled = Effect.fnUntraced(function*(transfer: Transfer, { sighting }: Claimant) {
  if (sighting === 1) return undefined
  const transfers = yield* Transfers
  const now = yield* transfers.find(transfer.id)
  return now?.status === "failure" || now?.status === "refund" ? now.failReason ?? "UNKNOWN" : undefined
})

/** SECURITY: a payment for a deposit that can never be minted on the hub is lost. */
const isLost = Effect.fnUntraced(function*(chain: Chain, claimant: ConfirmedClaimant) {
  if (yield* canBeMinted(chain, claimant)) return false
  yield* countStuck("unmintable-deposit")
  yield* Effect.logError(
    `a deposit on ${chain.slug} is not filled: its transaction ${claimant.deposit.transactionId} deposits what cannot be minted on the hub, so that nothing of it ever settles`
  )
  return true
})

/**
 * True when the fill would have to open an account whose opening the quoted price does not hold (PRICE-25): its owner
 * may have closed it, and gets back what opening it costs.
 */
const opensMore = Effect.fnUntraced(function*(route: Route, { terms: { rent } }: Transfer) {
  if (rent === undefined) return false
  const gas = yield* Gas
  return (yield* gas.opening(tentativeFill(route, 1n))).rent > rent
})

/**
 * True when strangers' code would take more in the fill than the quoted price holds (PRICE-26). Where it cannot be tried
 * now, the payment finds out.
 */
const takesMore = Effect.fnUntraced(function*(route: Route, { terms: { codeUnits } }: Transfer, amountOut: bigint) {
  if (codeUnits === undefined) return false
  const gas = yield* Gas
  const fill = tentativeFill(route, amountOut)
  if (route.calls.length === 0 && (yield* gas.opening(fill)).code !== "present") return false
  const units = yield* Effect.catchTag(gas.unitsOf(fill), "PaymentRefused", () => Effect.succeed(0n))
  return !holdsUnits(codeUnits, units)
})

/** True when the quoted price holds what its fill costs besides gas at another fee. */
const holds = Effect.fnUntraced(function*(route: Route, transfer: Transfer, verdict: FinalVerdict) {
  if (yield* opensMore(route, transfer)) return false
  return verdict._tag !== "Fill" || !(yield* takesMore(route, transfer, verdict.amountOut))
})

/**
 * At the quoted price or a new one. Without the sponsor's money the user pays, if the fill still delivers the minimum
 * (SPONSOR-12).
 */
const decideFirst = Effect.fnUntraced(
  function*(route: Route, chain: Chain, transfer: Transfer, claimant: ConfirmedClaimant) {
    const { sponsorship } = transfer.terms
    const judgement = judge(transfer, claimant.deposit, yield* turnNow(transfer, claimant.deposit))
    if (judgement._tag === "Refund") return judgement
    const ended = yield* endedUnfilled(transfer, claimant)
    if (ended !== undefined) return { _tag: "Refund", reason: ended } satisfies FinalVerdict
    if (yield* isLost(chain, claimant)) return { _tag: "Refund", reason: "UNKNOWN" } satisfies FinalVerdict
    if (!(yield* waitUntilServing(route, transfer, payBy(transfer, claimant.deposit) - DEADLINE_MARGIN_SECONDS))) {
      return { _tag: "Refund", reason: "ORDER_EXPIRED" } satisfies FinalVerdict
    }
    const price = judgement._tag === "Fill" ? judgement.otherwise : judgement.price
    if (sponsorship !== undefined && (yield* isUsersToPay(transfer, claimant.deposit))) {
      return yield* charged(transfer, yield* reprice(route, transfer, price, "user"), "user", price.amountIn)
    }
    const priced: PricedVerdict = judgement._tag === "Fill" && (yield* holds(route, transfer, judgement.verdict))
      ? { verdict: judgement.verdict, costs: sponsorship?.costs }
      : yield* reprice(route, transfer, price, "sponsor")
    if (sponsorship === undefined || priced.verdict._tag === "Refund") return priced.verdict
    if (yield* holdSponsor(transfer, claimant)) return yield* charged(transfer, priced, "sponsor", price.amountIn)
    const own = yield* reprice(route, transfer, price, "user")
    return own.verdict._tag === "Refund" ? unsponsored(own) : yield* charged(transfer, own, "user", price.amountIn)
  },
  // Quotes of strangers leave room for what it reads.
  Effect.provideService(Due, true)
)

/**
 * The order was paid for another deposit. If that deposit was this one before a reorg moved it, there was only one
 * deposit, and the payment belongs to this one.
 */
const decideSecond = Effect.fnUntraced(function*(
  route: Route,
  chain: Chain,
  transfer: Transfer,
  claimant: Claimant,
  paid: StoredPayment
) {
  const { deposit } = claimant
  const deposits = yield* Deposits
  const first = yield* deposits.find(paid.deposit)
  const own = yield* waitUntilKnown(chain, deposit)
  if (own === "gone") {
    // It was there when it was confirmed. SECURITY: what comes back is looked at again, since this may be what the
    // order was paid for.
    if (yield* isClearlyGone(chain, deposit)) return gone
    return yield* new ChainUnavailable({ chain: chain.slug, operation: "second deposit", kind: "behind" })
  }
  // SECURITY: the row may show less by now than was paid for (REFUND-8). Without a row, only what was delivered tells
  // what it was paid for (RESTORE-5).
  const paidFor = first === undefined ? undefined : { ...first.deposit, amount: paid.deposited ?? first.deposit.amount }
  const isIts = paidFor === undefined ? couldFill(transfer, paid.amount, deposit) : isSameMoney(paidFor, deposit)
  if (!isIts) {
    return { _tag: "Refund", reason: "DOUBLE_SPEND" } satisfies FinalVerdict
  }
  const other = first === undefined ? "gone" : yield* waitUntilKnown(route.origin, first.deposit)
  if (other === "gone") {
    // Before the other filling can release the sponsor's money: a payment is charged as it was made.
    yield* holdSponsor(transfer, claimant)
    if (yield* handOver(route.origin, transfer, paid, first?.deposit, deposit)) {
      yield* Effect.logWarning(
        `the payment of a deposit on ${route.origin.slug} that is gone (${first?.deposit.transactionId}) is now covered by ${deposit.transactionId}: its booked loss is recovered`
      )
    }
    return { _tag: "Fill", amountOut: paid.amount } satisfies FinalVerdict
  }
  return { _tag: "Refund", reason: "DOUBLE_SPEND" } satisfies FinalVerdict
})

/**
 * The order is already paid for this deposit. A restored store knows the payment but not who was to pay its fees: the
 * sponsor, as quoted, when the delivered amount is the quoted one.
 */
const decideAgain = Effect.fnUntraced(function*(transfer: Transfer, claimant: Claimant, { amount }: StoredPayment) {
  const isHeld = yield* holdSponsor(transfer, claimant)
  const judgement = judge(transfer, claimant.deposit, yield* turnNow(transfer, claimant.deposit))
  const isAsQuoted = judgement._tag === "Fill" && judgement.verdict.amountOut === amount
  if (isHeld && isAsQuoted) {
    yield* charged(
      transfer,
      { verdict: judgement.verdict, costs: transfer.terms.sponsorship?.costs },
      "sponsor",
      transfer.terms.amountIn
    )
  }
  return { _tag: "Fill", amountOut: amount } satisfies FinalVerdict
})

export const decideDeposit = Effect.fn("Filling.decide")(
  function*(route: Route, chain: Chain, transfer: Transfer, claimant: ConfirmedClaimant) {
    const payments = yield* Payments
    const refund = `refund:${claimant.deposit.onchainId}` as const
    const stored = yield* payments.standing(transfer.orderId, ["fill", "fallback", refund], [route.destination, chain])
    // A verdict is permanent. It must not be made while payments may be missing from the store. What is signed for this
    // deposit has made it: nobody else broadcasts that payment, and its sequence is waited for (RESTORE-4).
    const isSigned = stored.payments.some(({ deposit: of, state }) =>
      of === claimant.deposit.onchainId && state !== "reverted"
    )
    if (stored.held !== undefined && !isSigned) return yield* stored.held
    // An earlier execution may have ended between taking that over and looking at the deposit that had it (REFUND-14).
    if (isSigned) yield* noteThoseBack(chain, transfer)
    const paid = deliveryOf(stored.payments)
    // A signed refund stays a refund, however the deposit would be judged now. It is judged again after a reorg.
    if (stored.payments.some(({ leg }) => leg === refund)) {
      const isSecond = paid !== undefined && paid.deposit !== claimant.deposit.onchainId
      return {
        _tag: "Refund",
        reason: isSecond ? "DOUBLE_SPEND" : transfer.failReason ?? "UNKNOWN"
      } satisfies FinalVerdict
    }
    if (paid !== undefined && paid.deposit !== claimant.deposit.onchainId) {
      return yield* decideSecond(route, chain, transfer, claimant, paid)
    }
    if (paid !== undefined) return yield* decideAgain(transfer, claimant, paid)
    // SECURITY: a refund that was signed before a reorg moved the deposit may still be executed. It is not filled, too
    // (REFUND-6).
    if (stored.hasRefund && (yield* takeOverRefund(chain, transfer, claimant.deposit)) !== "none") {
      return { _tag: "Refund", reason: transfer.failReason ?? "UNKNOWN" } satisfies FinalVerdict
    }
    return yield* decideFirst(route, chain, transfer, claimant)
  }
)
