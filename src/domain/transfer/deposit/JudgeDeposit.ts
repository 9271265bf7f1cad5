/**
 * What happens to a deposit that names a transfer: fill at the quoted price, reprice, or refund with a reason
 * (PRICE-16, STATUS-10).
 *
 * Total and pure. Clocks: only the block time of the deposit counts, never the time at which it was seen.
 */
import * as Schema from "effect/Schema"
import { Bps } from "../../money/Bps.ts"
import { OUTPUT_DEADLINE_SECONDS } from "../../quote/assemble/BuildOrder.ts"
import { minimumOut } from "../../quote/pricing/Pricing.ts"
import type { DepositFacts } from "./Deposit.ts"
import { FailReason } from "../FailReason.ts"
import { isUsersOwn, leastDeposit } from "../Transfer.ts"
import type { Transfer } from "../Transfer.ts"

/** A quote's price holds this long after it was made. */
export const PRICE_HOLD_SECONDS = 30

/**
 * Amounts in smallest units: `amountOut` of the destination currency, `amountIn` of the origin currency. `rent`: what a
 * new price holds for opening the recipient's account, of the destination's native currency. `codeUnits`: the gas or
 * energy that it holds for strangers' code. Without a new price both are the quote's.
 */
export const FinalVerdict = Schema.Union([
  Schema.TaggedStruct("Fill", {
    amountOut: Schema.BigIntFromString,
    rent: Schema.optionalKey(Schema.BigIntFromString),
    codeUnits: Schema.optionalKey(Schema.BigIntFromString)
  }),
  Schema.TaggedStruct("Refund", { reason: FailReason })
])
export type FinalVerdict = typeof FinalVerdict.Type

/** What a deposit leads to, before or after a new price. */
export type DepositVerdict = FinalVerdict | { readonly _tag: "Reprice"; readonly amountIn: bigint }

const refund = (reason: FailReason): FinalVerdict => ({ _tag: "Refund", reason })

/** True for a deposit after the order's deadline: only a renewed order can accept it. */
export const isLate = ({ order }: Transfer, deposit: DepositFacts): boolean =>
  deposit.block.time > order.output.deadline

/**
 * The deadline of the order's payment for this deposit, in seconds. A late deposit that is accepted renews the order,
 * with a deadline counted from that deposit. The payment still names the id that the deposit names, because a deposit
 * proves nothing for any other id (docs/departures.md).
 */
export const payBy = (transfer: Transfer, deposit: DepositFacts): number =>
  isLate(transfer, deposit) ? deposit.block.time + OUTPUT_DEADLINE_SECONDS : transfer.order.output.deadline

/** The reason for a deposit that is refunded unconditionally, which has no reason of its own. */
const UNCONDITIONAL: FailReason = "UNKNOWN"

/** Whether a deposit is filled, refunded or left, by the order's terms. Total and pure. */
export const judgeDeposit = (transfer: Transfer, deposit: DepositFacts): DepositVerdict => {
  const { terms } = transfer
  // A direct payment or a user's own swap needs no deposit, so a deposit in its name is refunded.
  if (isUsersOwn(terms) || terms.forceRefund === true) return refund(UNCONDITIONAL)
  if (deposit.chainId !== terms.originChainId) return refund("DEPOSIT_CHAIN_MISMATCH")
  if (deposit.currency !== terms.originCurrency) return refund("INCORRECT_DEPOSIT_CURRENCY")
  const ageMs = deposit.block.time * 1000 - transfer.quotedAt
  if (isLate(transfer, deposit) && terms.lateSlippageBps === undefined) return refund("ORDER_EXPIRED")
  if (terms.ttlSeconds !== undefined && ageMs > terms.ttlSeconds * 1000) return refund("TTL_EXPIRED")
  if (deposit.amount === terms.amountIn && ageMs <= PRICE_HOLD_SECONDS * 1000) {
    return { _tag: "Fill", amountOut: terms.amountOut }
  }
  return { _tag: "Reprice", amountIn: deposit.amount }
}

/**
 * The least that is delivered for a deposit whose price no longer holds, smallest units of the destination currency.
 */
const owedFor = (transfer: Transfer, deposit: DepositFacts): bigint => {
  const { amountOut, lateSlippageBps, minimumOut: least, tradeType } = transfer.terms
  if (isLate(transfer, deposit) && lateSlippageBps !== undefined) return minimumOut(amountOut, Bps(lateSlippageBps))
  return tradeType === "EXACT_OUTPUT" ? amountOut : least
}

/**
 * The verdict once the deposit has a new price: filled when it still delivers the minimum, refunded otherwise.
 * `amountOut` is what today's price delivers for the deposited amount, zero when it does not cover the fees.
 */
export const judgeRepriced = (transfer: Transfer, deposit: DepositFacts, amountOut: bigint): FinalVerdict => {
  const { terms } = transfer
  if (amountOut < owedFor(transfer, deposit)) {
    return refund(deposit.amount < leastDeposit(terms) ? "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL" : "SLIPPAGE")
  }
  // An exact output is delivered exactly. A surplus belongs to the payer, unless it was promised to the solver. A swap
  // of the fill takes exactly what was quoted.
  const isExact = terms.tradeType === "EXACT_OUTPUT" || terms.destinationSwap !== undefined
  const exact = isExact && (terms.trueExactOutput === true || deposit.amount <= terms.amountIn)
  return { _tag: "Fill", amountOut: exact && amountOut > terms.amountOut ? terms.amountOut : amountOut }
}
