/**
 * What is claimed of an order that was paid, so that its deposit is the solver's on the hub (EXEC-8): that it was
 * deposited, and that it was filled or refunded. Claims alone: whether they hold is for the judges of the evidence.
 */
import type { Chain } from "../../chain/Chain.ts"
import type { DepositClaim } from "../../evidence/judges/JudgeDeposits.ts"
import type { Hex } from "../../encoding/Hex.ts"
import type { TransactionId } from "../../chain/TransactionId.ts"
import type { FillClaim, RefundClaim } from "../SettlementMessage.ts"
import type { Deposit } from "../../transfer/deposit/Deposit.ts"
import type { Transfer } from "../../transfer/Transfer.ts"
import { fallbackOptions } from "./SettledFallback.ts"
import { refundOption } from "./SettledRefund.ts"
import type { Address } from "../../chain/Address.ts"

/** How the deposit's order was paid. */
export interface PaidOrder {
  /** `fallback`: what a swap of the fill would have taken, to the order's recipient. */
  readonly kind: "fill" | "fallback" | "refund"
  readonly transactionId: TransactionId
  readonly recipient: Address
}

/** In the order in which they are tried: the first that holds settles the order. */
export interface SettlingClaims {
  readonly deposit: DepositClaim
  readonly settlement: readonly [FillClaim | RefundClaim, ...ReadonlyArray<RefundClaim>]
}

/**
 * Undefined for what is no fill and no refund of its order: one that went back to a recipient that no option names, or
 * in another currency.
 */
export const settlingClaims = (
  { order, orderSignature }: Pick<Transfer, "order"> & { readonly orderSignature: Hex },
  { chain, deposit }: { readonly chain: Chain; readonly deposit: Deposit },
  { kind, recipient, transactionId }: PaidOrder
): SettlingClaims | undefined => {
  const [input, ...others] = order.inputs
  const { currency, depositor, onchainId } = deposit
  if (
    input === undefined || others.length > 0 || input.payment.chainId !== chain.slug ||
    input.payment.currency !== currency
  ) return undefined
  const common = { order, orderSignature, inputs: [{ transactionId: deposit.transactionId, onchainId, inputIndex: 0 }] }
  const refund = (refundIndex: number): RefundClaim => ({
    ...common,
    refunds: [{ transactionId, inputIndex: 0, refundIndex }]
  })
  const claimed: DepositClaim = { chainId: chain.slug, transactionId: deposit.transactionId }
  if (kind === "refund") {
    const index = refundOption(order, { chain, currency, recipient, depositor })
    return index === undefined ? undefined : { deposit: claimed, settlement: [refund(index)] }
  }
  if (kind === "fallback") {
    // Which of them is enough does not differ by more than their minimum: each is tried.
    const [first, ...rest] = fallbackOptions(order, recipient).map(refund)
    return first === undefined ? undefined : { deposit: claimed, settlement: [first, ...rest] }
  }
  // Delivered after the deadline or below the minimum, which was agreed with the user: then it is the order's refund on
  // its destination.
  const onDestination = input.refunds.flatMap((option, index) =>
    option.chainId === order.output.chainId && option.recipient === recipient && index > 0 ? [refund(index)] : []
  )
  return { deposit: claimed, settlement: [{ ...common, fill: { transactionId } }, ...onDestination] }
}
