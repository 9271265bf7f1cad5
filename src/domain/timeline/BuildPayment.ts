/** The payment that a deposit address waits for, for a QR code. */
import { findChain } from "../chain/Chain.ts"
import type { RequestTimeline } from "./RequestTimeline.ts"
import { amountOn } from "./TimelineMoney.ts"
import { chainOf, currencyOf } from "./TimelineRecord.ts"
import type { TimelineSource } from "./TimelineRecord.ts"

/**
 * Null once anything was seen, also after a reorg has undone it: that deposit can come back, and a second payment
 * beside it would be another transfer or go back less gas.
 */
export const buildPayment = (told: TimelineSource): RequestTimeline["payment"] => {
  const { amountIn, depositAddress, originChainId, originCurrency, userSwap } = told.transfer.terms
  const isUntouched = told.deposits.length === 0 && told.events.every(({ status }) => status === "waiting")
  const chain = findChain(told.chains, originChainId)
  const currency = currencyOf(told, originChainId, originCurrency)
  if (
    told.transfer.status !== "waiting" || !isUntouched || depositAddress === undefined || userSwap !== undefined ||
    chain === undefined || currency === undefined
  ) return null
  const { address } = depositAddress
  return {
    address,
    chain: chainOf(told, originChainId),
    amount: amountOn(told, originChainId, originCurrency, amountIn),
    uri: chain.family.paymentUri?.({ to: address, currency, units: amountIn }) ?? address
  }
}
