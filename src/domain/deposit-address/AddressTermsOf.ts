/** What a kept transfer says of the deposit address that it is paid by. */
import { Bps } from "../money/Bps.ts"
import type { Transfer } from "../transfer/Transfer.ts"
import type { AddressTerms } from "./AddressTerms.ts"

/** Undefined for a transfer whose user names the order. */
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
    // No open address is quoted for an exact output: what comes is what is priced.
    tradeType: tradeType === "EXACT_OUTPUT" ? "EXPECTED_OUTPUT" : tradeType,
    latePaymentSlippage: lateSlippageBps === undefined ? undefined : Bps(lateSlippageBps)
  }
}
