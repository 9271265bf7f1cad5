/**
 * The excess of a filled deposit: at a strict address everything above the quoted amount, which is returned by a
 * payment of its own (ADDRESS-7). Smallest units of the origin currency; zero for every other deposit.
 */
import type { Deposit } from "../deposit/Deposit.ts"
import type { TransferTerms } from "../Transfer.ts"

/** The terms that decide what an excess is. */
export type ExcessTerms = Pick<TransferTerms, "amountIn" | "depositAddress" | "originChainId" | "originCurrency">

export const excessOf = (
  { terms: { amountIn, depositAddress, originChainId, originCurrency } }: { readonly terms: ExcessTerms },
  { amount, chainId, currency }: Pick<Deposit, "amount" | "chainId" | "currency">
): bigint => {
  const isQuoted = chainId === originChainId && currency === originCurrency
  return depositAddress?.mode === "strict" && isQuoted && amount > amountIn ? amount - amountIn : 0n
}
