/**
 * The laws of the outcome of a deposit at a deposit address (ADDRESS-5; ADDRESS-7, ADDRESS-8), for any implementation:
 * `strictOutcomeLaws(judge, settle)` and `openOutcomeLaws(judge, settle)`.
 *
 * `judge` gives the outcome of a deposit, `settle` the outcome after a deposit was priced again. The cost of refunds is
 * not covered: gas is subtracted when a refund is paid.
 */
import * as fc from "fast-check"
import type { AddressOutcome, Reprice } from "../src/domain/deposit-address/AddressOutcome.ts"
import type {
  AddressDeposit,
  AddressTerms,
  OpenTerms,
  StrictTerms
} from "../src/domain/deposit-address/AddressTerms.ts"
import { type Law, law, must } from "./Law.ts"
import { deliveredFor, depositFor, openTerms, strictTerms } from "./StrictOutcomesInputs.ts"

type Judge = (terms: AddressTerms, deposit: AddressDeposit) => AddressOutcome
type Settle = (reprice: Reprice, amountOut: bigint) => AddressOutcome

/** Where an outcome's money goes. Undefined while it waits for a price. */
const flows = (
  outcome: AddressOutcome
): { readonly filled: bigint; readonly refunded: bigint; readonly anew: bigint } | undefined => {
  switch (outcome._tag) {
    case "Fill":
      return { filled: outcome.amountIn, refunded: 0n, anew: 0n }
    case "FillWithExcess":
      return { filled: outcome.amountIn, refunded: outcome.excess, anew: 0n }
    case "NewOrder":
    case "NewRequest":
      return { filled: 0n, refunded: 0n, anew: outcome.amountIn }
    case "Refund":
      return { filled: 0n, refunded: outcome.amount, anew: 0n }
    case "Ignore":
      return { filled: 0n, refunded: 0n, anew: 0n }
    case "Reprice":
      return undefined
  }
}

interface Case<T> {
  readonly terms: T
  readonly deposit: AddressDeposit
  readonly delivered: bigint
}

const casesOf = <T extends StrictTerms | OpenTerms>(terms: fc.Arbitrary<T>): fc.Arbitrary<Case<T>> =>
  terms.chain((terms) =>
    fc.record({ terms: fc.constant(terms), deposit: depositFor(terms), delivered: deliveredFor(terms) })
  )

const strictCases = casesOf(strictTerms)
const openCases = casesOf(openTerms)

const isQuoted = ({ deposit, terms }: Case<AddressTerms>): boolean =>
  deposit.chainId === terms.chainId && deposit.currency === terms.currency

const ageOf = ({ deposit, terms }: Case<AddressTerms>): number => deposit.blockTime - terms.quotedAt / 1000

const isInTime = (each: Case<AddressTerms>): boolean =>
  each.deposit.blockTime <= each.terms.deadline &&
  (each.terms.ttlSeconds === undefined || ageOf(each) <= each.terms.ttlSeconds)

/** The final outcome, when the market delivers what the case says. */
const ended = (judge: Judge, settle: Settle, { delivered, deposit, terms }: Case<AddressTerms>): AddressOutcome => {
  const outcome = judge(terms, deposit)
  return outcome._tag === "Reprice" ? settle(outcome, delivered) : outcome
}

const conserved = (name: string, cases: fc.Arbitrary<Case<AddressTerms>>, judge: Judge, settle: Settle): Law =>
  law(
    `${name}: total: every deposit ends one way, and filled + refunded + asked anew = received`,
    fc.property(cases, (each) => {
      const sums = flows(ended(judge, settle, each))
      must(sums !== undefined, "a price was asked for twice")
      if (sums === undefined) return
      must(sums.filled >= 0n && sums.refunded >= 0n && sums.anew >= 0n, "an amount below zero")
      const received = each.deposit.received > 0n ? each.deposit.received : 0n
      must(sums.filled + sums.refunded + sums.anew === received, "money is missing or made")
      must([sums.filled, sums.anew].filter((units) => units > 0n).length <= 1, "filled and asked anew")
    })
  )

const promises = (name: string, cases: fc.Arbitrary<Case<AddressTerms>>, judge: Judge, settle: Settle): Law =>
  law(
    `${name}: a fill delivers at least the minimum, an exact output exactly, and the quoted amount while the price holds`,
    fc.property(cases, (each) => {
      const { delivered, deposit, terms } = each
      const outcome = ended(judge, settle, each)
      if (outcome._tag !== "Fill" && outcome._tag !== "FillWithExcess") return
      const quoted = outcome.amountIn >= terms.amountIn
      must(outcome.amountOut >= (quoted ? terms.minimumOut : 1n), "less than the minimum")
      must(outcome.amountOut === terms.amountOut || outcome.amountOut === delivered, "an amount that nobody named")
      if (terms.tradeType === "EXACT_OUTPUT") must(outcome.amountOut === terms.amountOut, "not the exact output")
      if (
        ageOf(each) <= 30 && outcome.amountIn === terms.amountIn && deposit.received >= terms.amountIn &&
        terms.mode === "strict"
      ) {
        must(outcome.amountOut === terms.amountOut, "another price while the quoted one holds")
      }
      must(isQuoted(each) && isInTime(each) && deposit.turn === "first", "filled although late, foreign or second")
    })
  )

/** The laws of deposits at strict addresses (ADDRESS-5). */
export const strictOutcomeLaws = (judge: Judge, settle: Settle): ReadonlyArray<Law> => [
  conserved("strict", strictCases, judge, settle),
  promises("strict", strictCases, judge, settle),
  law(
    "strict: exclusive: exact fills, more fills the quoted amount and returns the excess, less is refunded, by these alone",
    fc.property(strictCases, (each) => {
      const { deposit, terms } = each
      if (!isQuoted(each) || !isInTime(each) || deposit.turn === "again" || deposit.received <= 0n) return
      const { _tag } = judge(terms, deposit)
      const fills = ageOf(each) > 30 ? "Reprice" : deposit.received === terms.amountIn ? "Fill" : "FillWithExcess"
      must(_tag === (deposit.received < terms.amountIn ? "Refund" : fills), `${_tag} is the wrong outcome`)
    })
  ),
  law(
    "strict: never more than the quoted amount is filled, and never part of it",
    fc.property(strictCases, (each) => {
      const filled = flows(ended(judge, settle, each))?.filled
      must(filled === 0n || filled === each.terms.amountIn, "filled another amount")
    })
  ),
  law(
    "strict: a second deposit never fills and never decides",
    fc.property(strictCases, (each) => {
      const outcome = judge(each.terms, { ...each.deposit, turn: "again" })
      if (each.deposit.received <= 0n) return
      must(
        outcome._tag === "Refund" && outcome.state === "leg" && outcome.amount === each.deposit.received,
        "the second deposit mattered"
      )
      must(
        outcome._tag === "Refund" && (!isQuoted(each) || outcome.reason === "DOUBLE_SPEND"),
        "refunded for another reason"
      )
    })
  ),
  law(
    "strict: another chain or currency never fills and never decides",
    fc.property(strictCases, (each) => {
      if (isQuoted(each) || each.deposit.received <= 0n) return
      const outcome = judge(each.terms, each.deposit)
      must(outcome._tag === "Refund" && outcome.state === "leg", "a foreign deposit mattered")
      const reason = each.deposit.chainId === each.terms.chainId
        ? "INCORRECT_DEPOSIT_CURRENCY"
        : "DEPOSIT_CHAIN_MISMATCH"
      must(outcome._tag === "Refund" && outcome.reason === reason, "refunded for another reason")
    })
  ),
  law(
    "strict: an underpayment fails whoever sent it; a transfer of nothing decides nothing",
    fc.property(strictCases, (each) => {
      const { deposit, terms } = each
      const outcome = judge(terms, deposit)
      must((outcome._tag === "Ignore") === deposit.received <= 0n, "ignored what was received")
      if (
        deposit.received <= 0n || deposit.received >= terms.amountIn || !isQuoted(each) || !isInTime(each) ||
        deposit.turn === "again"
      ) return
      must(
        outcome._tag === "Refund" && outcome.state === "decides" &&
          outcome.reason === "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL",
        "an underpayment passed"
      )
    })
  ),
  law(
    "strict: a deposit that comes too late goes back, and says whether the order or its time to live was over",
    fc.property(strictCases, (each) => {
      const { deposit, terms } = each
      if (isInTime(each) || !isQuoted(each) || deposit.turn === "again" || deposit.received <= 0n) return
      const outcome = judge(terms, deposit)
      const reason = deposit.blockTime > terms.deadline ? "ORDER_EXPIRED" : "TTL_EXPIRED"
      must(
        outcome._tag === "Refund" && outcome.state === "decides" && outcome.reason === reason,
        "a late deposit passed"
      )
    })
  )
]

/** The laws of deposits at open addresses (ADDRESS-5). */
export const openOutcomeLaws = (judge: Judge, settle: Settle): ReadonlyArray<Law> => [
  conserved("open", openCases, judge, settle),
  promises("open", openCases, judge, settle),
  law(
    "open: every further deposit of the quoted currency is a request of its own, and so is one on another chain",
    fc.property(openCases, (each) => {
      const { deposit, terms } = each
      if (deposit.currency !== terms.currency || deposit.received <= 0n) return
      const outcome = judge(terms, deposit)
      must(
        (outcome._tag === "NewRequest") === (deposit.turn === "again" || deposit.chainId !== terms.chainId),
        "not a request of its own"
      )
    })
  ),
  law(
    "open: another currency is a refund leg, and whoever is not the user decides nothing",
    fc.property(openCases, (each) => {
      const { deposit, terms } = each
      const outcome = ended(judge, settle, each)
      if (outcome._tag !== "Refund") return
      const foreign = deposit.currency !== terms.currency
      must(outcome.state === (foreign || deposit.sender === "another" ? "leg" : "decides"), "the wrong state")
      must(foreign === (outcome.reason === "INCORRECT_DEPOSIT_CURRENCY"), "the wrong reason")
    })
  ),
  law(
    "open: less and more are priced again, whole; less that covers its fees is filled",
    fc.property(openCases, (each) => {
      const { delivered, deposit, terms } = each
      if (!isQuoted(each) || !isInTime(each) || deposit.turn === "again" || deposit.received <= 0n) return
      const outcome = judge(terms, deposit)
      const asQuoted = deposit.received === terms.amountIn && ageOf(each) <= 30
      must(outcome._tag === (asQuoted ? "Fill" : "Reprice"), `${outcome._tag} is the wrong outcome`)
      if (outcome._tag !== "Reprice") return
      const end = settle(outcome, delivered)
      const enough = delivered >= (deposit.received < terms.amountIn ? 1n : terms.minimumOut)
      must(end._tag === (enough ? "Fill" : "Refund"), `${end._tag} for ${delivered}`)
      const reason = deposit.received < terms.amountIn ? "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL" : "SLIPPAGE"
      must(end._tag !== "Refund" || end.reason === reason, "refunded for another reason")
    })
  ),
  law(
    "open: a late deposit gets an order of its own where the request allows it, and goes back otherwise",
    fc.property(openCases, (each) => {
      const { deposit, terms } = each
      if (!isQuoted(each) || deposit.turn === "again" || deposit.received <= 0n) return
      const outcome = judge(terms, deposit)
      const late = deposit.blockTime > terms.deadline
      must(
        (outcome._tag === "NewOrder") === (late && terms.latePaymentSlippage !== undefined),
        "a late deposit went wrong"
      )
      must(outcome._tag !== "NewOrder" || outcome.slippageBps === terms.latePaymentSlippage, "another tolerance")
      if (late && terms.latePaymentSlippage === undefined) {
        must(outcome._tag === "Refund" && outcome.reason === "ORDER_EXPIRED", "a late deposit passed")
      }
      if (!late && !isInTime(each)) {
        must(outcome._tag === "Refund" && outcome.reason === "TTL_EXPIRED", "a deposit outlived its time")
      }
    })
  )
]
