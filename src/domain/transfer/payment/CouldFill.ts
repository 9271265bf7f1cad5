/**
 * Whether a delivery whose deposit is not known could be that of this deposit (RESTORE-5). At the quoted price it says
 * what was deposited. At another price the amounts may differ, but by no more than half.
 *
 * SECURITY: anybody can deposit under an order. Dust that took the delivery over would have the real deposit refunded
 * beside its fill, and a large deposit would be lost for a small fill.
 */
import type { Deposit } from "../deposit/Deposit.ts"
import type { TransferTerms } from "../Transfer.ts"

/** The terms that decide how much is delivered for a deposit. */
export type DeliveryTerms = Pick<
  TransferTerms,
  | "amountIn"
  | "amountOut"
  | "depositAddress"
  | "destinationSwap"
  | "originChainId"
  | "originCurrency"
  | "tradeType"
>

/** The part of a deposit that is delivered: of some orders never more than what was quoted. Smallest units. */
export const deliveredInput = (
  { amountIn, depositAddress, tradeType }: Pick<DeliveryTerms, "amountIn" | "depositAddress" | "tradeType">,
  { amount }: Pick<Deposit, "amount">
): bigint => {
  const isCapped = tradeType === "EXACT_OUTPUT" || depositAddress?.mode === "strict"
  return isCapped && amount > amountIn ? amountIn : amount
}

/** `paid`: the delivered amount, smallest units of the destination currency. */
export const couldFill = (
  { terms }: { readonly terms: DeliveryTerms },
  paid: bigint,
  deposit: Pick<Deposit, "amount" | "chainId" | "currency">
): boolean => {
  const { amountIn, amountOut, destinationSwap, originChainId, originCurrency, tradeType } = terms
  if (deposit.chainId !== originChainId || deposit.currency !== originCurrency) return false
  const input = deliveredInput(terms, deposit)
  // An exact output is also delivered for less, when the price has improved.
  const isExact = tradeType === "EXACT_OUTPUT" || destinationSwap !== undefined
  if (paid === amountOut && !isExact) return input === amountIn
  const [due, delivered] = [input * amountOut, paid * amountIn]
  return due * 2n >= delivered && delivered * 2n >= due
}
