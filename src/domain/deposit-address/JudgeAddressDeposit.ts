/**
 * The table of ADDRESS-5 as a total function: what was quoted and what came → what becomes of it.
 *
 * Guarantee: every deposit has exactly one outcome, and an outcome accounts for all that was received. At a strict
 * address nothing above the quoted amount is ever filled, and nothing a second time. Clocks: block times only.
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
 * Tied to one order: its amount is filled once, all else goes back, and whoever sent it decides the request (ADDRESS-7,
 * ADDRESS-8).
 */
const judgeStrict = (terms: StrictTerms, deposit: AddressDeposit): AddressOutcome => {
  const { received, turn } = deposit
  // Funds on another chain of the family can be swept there by anybody; they never reach this order.
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

/** Every deposit is a request of its own; the first one is the quoted request's. */
const judgeOpen = (terms: OpenTerms, deposit: AddressDeposit): AddressOutcome => {
  const { received, sender, turn } = deposit
  // Nobody spoils another's request with dust: the next deposit is still its first.
  const state: RefundState = sender === "user" ? "decides" : "leg"
  if (deposit.currency !== terms.currency) return refund(deposit, "INCORRECT_DEPOSIT_CURRENCY", "leg")
  // Found on another chain of the family by a reindex: a deposit from there, quoted from there.
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
    // Less need only cover its fees; the quoted amount or more must deliver what the quote promised at least.
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

/**
 * The outcome once the price is known: `amountOut` is what `amountIn` delivers now, zero when it does not cover its
 * fees.
 */
export const settleReprice = (reprice: Reprice, amountOut: bigint): AddressOutcome => {
  const { amountIn, excess, maximumOut, minimumOut, otherwise, state } = reprice
  if (amountOut < minimumOut) return { _tag: "Refund", amount: amountIn + excess, reason: otherwise, state }
  const paid = maximumOut === null ? amountOut : maximumOut
  return excess === 0n
    ? { _tag: "Fill", amountIn, amountOut: paid }
    : { _tag: "FillWithExcess", amountIn, amountOut: paid, excess }
}
