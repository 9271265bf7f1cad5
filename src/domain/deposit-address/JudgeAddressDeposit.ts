/**
 * The table of ADDRESS-5 as a total function (ADDRESS-6 to ADDRESS-10): the quote and the deposit give the outcome.
 *
 * Guarantee: every deposit has exactly one outcome, and the outcome accounts for all that was received. A strict
 * address never fills more than the quoted amount, and never fills twice. Only block times are used.
 */
import type { FailReason } from "../transfer/FailReason.ts"
import { PRICE_HOLD_SECONDS } from "../transfer/deposit/JudgeDeposit.ts"
import type { AddressOutcome, RefundState, Reprice } from "./AddressOutcome.ts"
import type { AddressDeposit, AddressTerms, OpenTerms, StrictTerms } from "./AddressTerms.ts"

const refund = ({ received }: AddressDeposit, reason: FailReason, state: RefundState): AddressOutcome => ({
  _tag: "Refund",
  amount: received,
  reason,
  state
})

const ageMs = (terms: AddressTerms, deposit: AddressDeposit): number => deposit.blockTime * 1000 - terms.quotedAt

const isLate = (terms: AddressTerms, deposit: AddressDeposit): boolean => deposit.blockTime > terms.deadline

const outlivesTtl = (terms: AddressTerms, deposit: AddressDeposit): boolean =>
  terms.ttlSeconds !== undefined && ageMs(terms, deposit) > terms.ttlSeconds * 1000

const priceHolds = (terms: AddressTerms, deposit: AddressDeposit): boolean =>
  ageMs(terms, deposit) <= PRICE_HOLD_SECONDS * 1000

/**
 * Serves one order: its amount is filled once and all else is refunded. The deposit decides the request, whoever sent
 * it (ADDRESS-7, ADDRESS-8).
 */
const judgeStrict = (terms: StrictTerms, deposit: AddressDeposit): AddressOutcome => {
  const { received, turn } = deposit
  // Anybody can sweep money there on another chain of the family. It never reaches this order.
  if (deposit.chainId !== terms.chainId) return refund(deposit, "DEPOSIT_CHAIN_MISMATCH", "leg")
  if (deposit.currency !== terms.currency) return refund(deposit, "INCORRECT_DEPOSIT_CURRENCY", "leg")
  if (turn === "again") return refund(deposit, "DOUBLE_SPEND", "leg")
  if (isLate(terms, deposit)) return refund(deposit, "ORDER_EXPIRED", "decides")
  if (outlivesTtl(terms, deposit)) return refund(deposit, "TTL_EXPIRED", "decides")
  if (received < terms.amountIn) return refund(deposit, "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL", "decides")
  const excess = received - terms.amountIn
  const { amountIn, amountOut } = terms
  if (!priceHolds(terms, deposit)) {
    return {
      _tag: "Reprice",
      amountIn,
      minimumOut: terms.minimumOut,
      maximumOut: terms.tradeType === "EXACT_OUTPUT" ? amountOut : null,
      excess,
      otherwise: "SLIPPAGE",
      state: "decides"
    }
  }
  return excess === 0n ? { _tag: "Fill", amountIn, amountOut } : { _tag: "FillWithExcess", amountIn, amountOut, excess }
}

/** Every deposit is a request of its own. The first deposit belongs to the quoted request. */
const judgeOpen = (terms: OpenTerms, deposit: AddressDeposit): AddressOutcome => {
  const { received, sender, turn } = deposit
  // A stranger's dust does not decide the request: the next deposit is still its first.
  const state: RefundState = sender === "user" ? "decides" : "leg"
  if (deposit.currency !== terms.currency) return refund(deposit, "INCORRECT_DEPOSIT_CURRENCY", "leg")
  // A reindex found it on another chain of the family: it is quoted as a deposit from that chain.
  if (turn === "again" || deposit.chainId !== terms.chainId) return { _tag: "NewRequest", amountIn: received }
  if (isLate(terms, deposit)) {
    return terms.latePaymentSlippage === undefined
      ? refund(deposit, "ORDER_EXPIRED", state)
      : { _tag: "NewOrder", amountIn: received, slippageBps: terms.latePaymentSlippage }
  }
  if (outlivesTtl(terms, deposit)) return refund(deposit, "TTL_EXPIRED", state)
  if (received === terms.amountIn && priceHolds(terms, deposit)) {
    return { _tag: "Fill", amountIn: received, amountOut: terms.amountOut }
  }
  const isLess = received < terms.amountIn
  return {
    _tag: "Reprice",
    amountIn: received,
    // Less than the quoted amount must only cover its fees. The quoted amount or more must deliver the quote's minimum.
    minimumOut: isLess ? 1n : terms.minimumOut,
    maximumOut: null,
    excess: 0n,
    otherwise: isLess ? "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL" : "SLIPPAGE",
    state
  }
}

/** The outcome of a deposit. Never fails. */
export const judgeAddressDeposit = (terms: AddressTerms, deposit: AddressDeposit): AddressOutcome => {
  if (deposit.received <= 0n) return { _tag: "Ignore" }
  return terms.mode === "strict" ? judgeStrict(terms, deposit) : judgeOpen(terms, deposit)
}

/** The outcome at the new price. `amountOut` is what `amountIn` delivers now, zero when it does not cover its fees. */
export const settleReprice = (reprice: Reprice, amountOut: bigint): AddressOutcome => {
  const { amountIn, excess, maximumOut, minimumOut, otherwise, state } = reprice
  if (amountOut < minimumOut) return { _tag: "Refund", amount: amountIn + excess, reason: otherwise, state }
  const paid = maximumOut === null ? amountOut : maximumOut
  return excess === 0n
    ? { _tag: "Fill", amountIn, amountOut: paid }
    : { _tag: "FillWithExcess", amountIn, amountOut: paid, excess }
}
