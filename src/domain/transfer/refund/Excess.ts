/**
 * What a filled deposit leaves over: at a strict address all above the quoted amount, which goes back in a leg of its
 * own (ADDRESS-7). Smallest units of the origin currency; zero for every other deposit.
 */
import type { Deposit } from "../deposit/Deposit.ts"
import type { Transfer } from "../Transfer.ts"

export const excessOf = (
  { terms: { amountIn, depositAddress, originChainId, originCurrency } }: Pick<Transfer, "terms">,
  { amount, chainId, currency }: Pick<Deposit, "amount" | "chainId" | "currency">
): bigint => {
  const isQuoted = chainId === originChainId && currency === originCurrency
  return depositAddress?.mode === "strict" && isQuoted && amount > amountIn ? amount - amountIn : 0n
}
