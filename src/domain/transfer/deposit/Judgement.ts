/**
 * The judgement of a deposit, whether its sender named the order or it was swept from a deposit address (STATUS-10,
 * ADDRESS-5, REFUND-3).
 *
 * There are three: refund, fill at the quoted price, or reprice. A fill always carries the conditions of a new price as
 * well; they are used when the sponsor's money is gone.
 */
import type { AddressOutcome, Reprice } from "../../deposit-address/AddressOutcome.ts"
import { addressTermsOf } from "../../deposit-address/AddressTermsOf.ts"
import type { AddressTerms } from "../../deposit-address/AddressTerms.ts"
import { judgeAddressDeposit, settleReprice } from "../../deposit-address/JudgeAddressDeposit.ts"
import { Bps } from "../../money/Bps.ts"
import { minimumOut } from "../../quote/pricing/Pricing.ts"
import type { DepositFacts } from "./Deposit.ts"
import { settlesUntil } from "../../hub/settling/SettledFill.ts"
import { isLate, judgeDeposit, judgeRepriced } from "./JudgeDeposit.ts"
import type { FinalVerdict } from "./JudgeDeposit.ts"
import { deliveredOf, leastDeposit } from "../Transfer.ts"
import type { Transfer } from "../Transfer.ts"

/** A new price is needed: for which amount, and what follows from it. */
export interface NewPrice {
  /** The part of the deposit that is filled, smallest units of the origin currency; the rest is returned. */
  readonly amountIn: bigint
  /**
   * `amountOut`: what `amountIn` delivers now, zero when it does not cover the fees; smallest units of the destination
   * currency.
   */
  readonly settle: (amountOut: bigint) => FinalVerdict
}

export type Judgement =
  | Extract<FinalVerdict, { readonly _tag: "Refund" }>
  | {
    readonly _tag: "Fill"
    readonly verdict: Extract<FinalVerdict, { readonly _tag: "Fill" }>
    readonly otherwise: NewPrice
  }
  | { readonly _tag: "Reprice"; readonly price: NewPrice }

/** `again`: another deposit of the same request was already filled, or already failed the request. */
export type Turn = "first" | "again"

const verdictOf = (transfer: Transfer, deposit: DepositFacts, outcome: AddressOutcome): FinalVerdict => {
  switch (outcome._tag) {
    case "Fill":
    case "FillWithExcess":
      return { _tag: "Fill", amountOut: outcome.amountOut }
    case "Refund":
      return { _tag: "Refund", reason: outcome.reason }
    // The new request is made before its deposit is swept. A deposit that somebody else swept under this order is
    // refunded (docs/departures.md).
    case "NewRequest":
      return {
        _tag: "Refund",
        reason: deposit.chainId === transfer.terms.originChainId ? "DOUBLE_SPEND" : "DEPOSIT_CHAIN_MISMATCH"
      }
    case "Reprice":
    case "NewOrder":
    case "Ignore":
      return { _tag: "Refund", reason: "UNKNOWN" }
  }
}

/**
 * A swap of the fill takes exactly the quoted amount. Less cannot be filled; of more, only what was quoted is filled.
 */
const forSwap = ({ terms: { amountIn, amountOut, destinationSwap } }: Transfer, reprice: Reprice): Reprice =>
  destinationSwap === undefined
    ? reprice
    : { ...reprice, minimumOut: amountOut, maximumOut: reprice.amountIn > amountIn ? null : amountOut }

/** The conditions of a new price, if there can be one. */
const repriceOf = (
  { terms }: Transfer,
  { amountIn, amountOut, tradeType }: AddressTerms,
  outcome: AddressOutcome
): Reprice | undefined => {
  const exact = tradeType === "EXACT_OUTPUT"
  const least = {
    minimumOut: exact ? amountOut : terms.minimumOut,
    maximumOut: exact ? amountOut : null,
    otherwise: "SLIPPAGE" as const,
    state: "decides" as const
  }
  switch (outcome._tag) {
    case "Reprice":
      return outcome
    case "NewOrder":
      return {
        ...least,
        _tag: "Reprice",
        amountIn: outcome.amountIn,
        minimumOut: minimumOut(amountOut, Bps(outcome.slippageBps)),
        excess: 0n
      }
    case "Fill":
      return { ...least, _tag: "Reprice", amountIn, excess: 0n }
    case "FillWithExcess":
      return { ...least, _tag: "Reprice", amountIn, excess: outcome.excess }
    case "Refund":
    case "NewRequest":
    case "Ignore":
      return undefined
  }
}

const judgeAtAddress = (transfer: Transfer, deposit: DepositFacts, terms: AddressTerms, turn: Turn): Judgement => {
  const { amount: received, block, chainId, currency } = deposit
  // The sender does not matter: money that is sent to an address belongs to the address's owner and goes only there, so
  // the deposit is the request's.
  const outcome = judgeAddressDeposit(terms, {
    chainId,
    currency,
    received,
    blockTime: block.time,
    sender: "user",
    turn
  })
  const repriced = repriceOf(transfer, terms, outcome)
  const reprice = repriced === undefined ? undefined : forSwap(transfer, repriced)
  const verdict = verdictOf(transfer, deposit, outcome)
  if (reprice === undefined) return verdict._tag === "Refund" ? verdict : { _tag: "Refund", reason: "UNKNOWN" }
  const price: NewPrice = {
    amountIn: reprice.amountIn,
    settle: (amountOut) => verdictOf(transfer, deposit, settleReprice(reprice, amountOut))
  }
  return verdict._tag === "Fill" ? { _tag: "Fill", verdict, otherwise: price } : { _tag: "Reprice", price }
}

const judgeNamed = (transfer: Transfer, deposit: DepositFacts): Judgement => {
  const verdict = judgeDeposit(transfer, deposit)
  const price: NewPrice = {
    amountIn: deposit.amount,
    settle: (amountOut) => judgeRepriced(transfer, deposit, amountOut)
  }
  switch (verdict._tag) {
    case "Refund":
      return verdict
    case "Fill":
      return { _tag: "Fill", verdict, otherwise: price }
    case "Reprice":
      return { _tag: "Reprice", price }
  }
}

/** A deposit whose fill could not settle on the hub is not filled. It is refunded, and the refund settles. */
const settling = (transfer: Transfer, deposit: DepositFacts) => (verdict: FinalVerdict): FinalVerdict => {
  if (verdict._tag === "Refund") return verdict
  const until = settlesUntil(transfer.order, {
    deposited: deposit.amount,
    amountOut: deliveredOf(transfer.terms, verdict.amountOut)
  })
  if (until !== undefined && deposit.block.time <= until) return verdict
  if (isLate(transfer, deposit)) return { _tag: "Refund", reason: "ORDER_EXPIRED" }
  return {
    _tag: "Refund",
    reason: deposit.amount < leastDeposit(transfer.terms) ? "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL" : "SLIPPAGE"
  }
}

/** Total and pure. Clocks: only the block time of the deposit counts. */
export const judge = (transfer: Transfer, deposit: DepositFacts, turn: Turn): Judgement => {
  const terms = addressTermsOf(transfer)
  const judged = terms === undefined || transfer.terms.forceRefund === true
    ? judgeNamed(transfer, deposit)
    : judgeAtAddress(transfer, deposit, terms, turn)
  const settle = settling(transfer, deposit)
  const within = ({ amountIn, settle: priced }: NewPrice): NewPrice => ({
    amountIn,
    settle: (amountOut) => settle(priced(amountOut))
  })
  switch (judged._tag) {
    case "Refund":
      return judged
    case "Reprice":
      return { _tag: "Reprice", price: within(judged.price) }
    case "Fill": {
      const verdict = settle(judged.verdict)
      return verdict._tag === "Refund" ? verdict : { _tag: "Fill", verdict, otherwise: within(judged.otherwise) }
    }
  }
}
