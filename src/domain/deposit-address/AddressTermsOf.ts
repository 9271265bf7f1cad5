/** The terms of the deposit address that a stored transfer is paid by. */
import { Bps } from "../money/Bps.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import type { AddressTerms } from "./AddressTerms.ts"

/** Undefined for a transfer whose user names the order in the deposit. */
export const addressTermsOf = ({ order, quotedAt, terms }: Transfer): AddressTerms | undefined => {
  const {
    amountIn,
    amountOut,
    depositAddress,
    lateSlippageBps,
    minimumOut,
    originChainId,
    originCurrency,
    tradeType,
    ttlSeconds
  } = terms
  if (depositAddress === undefined) return undefined
  const quoted = {
    chainId: originChainId,
    currency: originCurrency,
    amountIn,
    amountOut,
    minimumOut,
    quotedAt,
    deadline: order.output.deadline,
    ttlSeconds
  }
  if (depositAddress.mode === "strict") return { ...quoted, mode: "strict", tradeType }
  return {
    ...quoted,
    mode: "open",
    // Open addresses have no exact output: the amount that arrives is priced.
    tradeType: tradeType === "EXACT_OUTPUT" ? "EXPECTED_OUTPUT" : tradeType,
    latePaymentSlippage: lateSlippageBps === undefined ? undefined : Bps(lateSlippageBps)
  }
}
