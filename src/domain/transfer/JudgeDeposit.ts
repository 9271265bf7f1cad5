/**
 * What happens to a deposit that names a transfer: fill at the quoted price, price again, or refund, and why (spec/3 §4, §6).
 *
 * Total and pure. Clocks: only the block time of the deposit counts, never the time at which it was seen.
 */
import * as Schema from "effect/Schema"
import type { Deposit } from "./Deposit.ts"
import { FailReason } from "./FailReason.ts"
import type { Transfer } from "./Transfer.ts"

/** A quote's price holds this long after it was made. */
export const PRICE_HOLD_SECONDS = 30

/** Amounts in smallest units: `amountOut` of the destination currency, `amountIn` of the origin currency. */
export const FinalVerdict = Schema.Union([
  Schema.TaggedStruct("Fill", { amountOut: Schema.BigIntFromString }),
  Schema.TaggedStruct("Refund", { reason: FailReason })
])
export type FinalVerdict = typeof FinalVerdict.Type

/** What a deposit leads to, before or after a new price. */
export type DepositVerdict = FinalVerdict | { readonly _tag: "Reprice"; readonly amountIn: bigint }

const refund = (reason: FailReason): FinalVerdict => ({ _tag: "Refund", reason })

export const judgeDeposit = (transfer: Transfer, deposit: Deposit): DepositVerdict => {
  const { terms } = transfer
  if (deposit.chainId !== terms.originChainId) return refund("DEPOSIT_CHAIN_MISMATCH")
  if (deposit.currency !== terms.originCurrency) return refund("INCORRECT_DEPOSIT_CURRENCY")
  const ageMs = deposit.block.time * 1000 - transfer.quotedAt
  if (deposit.block.time > transfer.order.output.deadline) return refund("ORDER_EXPIRED")
  if (terms.ttlSeconds !== undefined && ageMs > terms.ttlSeconds * 1000) return refund("TTL_EXPIRED")
  if (deposit.amount === terms.amountIn && ageMs <= PRICE_HOLD_SECONDS * 1000) return { _tag: "Fill", amountOut: terms.amountOut }
  return { _tag: "Reprice", amountIn: deposit.amount }
}

/**
 * The verdict once the deposit has a new price: filled when it still delivers the minimum, refunded otherwise.
 * `amountOut` is what today's price delivers for the deposited amount, zero when it does not cover the fees.
 */
export const judgeRepriced = (transfer: Transfer, deposit: Deposit, amountOut: bigint): FinalVerdict => {
  const { terms } = transfer
  const owed = terms.tradeType === "EXACT_OUTPUT" ? terms.amountOut : terms.minimumOut
  if (amountOut < owed) return refund(deposit.amount < terms.amountIn ? "DEPOSITED_AMOUNT_TOO_LOW_TO_FILL" : "SLIPPAGE")
  // What was asked for exactly is delivered exactly, but what somebody paid on top is theirs too.
  const exact = terms.tradeType === "EXACT_OUTPUT" && deposit.amount <= terms.amountIn
  return { _tag: "Fill", amountOut: exact ? terms.amountOut : amountOut }
}
