/**
 * The claims that give a paid order's deposit to the solver on the hub (EXEC-8): that it was deposited, and that it was
 * filled or refunded. Whether the claims hold is for the judges of the evidence to decide.
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

/** The payment of a deposit's order. */
export interface PaidOrder {
  /** `fallback`: the currency that the fill would have swapped, paid to the order's recipient. */
  readonly kind: "fill" | "fallback" | "refund"
  readonly transactionId: TransactionId
  readonly recipient: Address
}

/** In the order in which they are tried. The first claim that holds settles the order. */
export interface SettlingClaims {
  readonly deposit: DepositClaim
  readonly settlement: readonly [FillClaim | RefundClaim, ...ReadonlyArray<RefundClaim>]
}

/**
 * Undefined for a payment that is no fill and no refund of its order: one to a recipient that no option names, or in
 * another currency.
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
    // These options differ only in their minimum. All are tried.
    const [first, ...rest] = fallbackOptions(order, recipient).map(refund)
    return first === undefined ? undefined : { deposit: claimed, settlement: [first, ...rest] }
  }
  // A delivery after the deadline or below the minimum, as agreed with the user, is the order's refund on its
  // destination.
  const onDestination = input.refunds.flatMap((option, index) =>
    option.chainId === order.output.chainId && option.recipient === recipient && index > 0 ? [refund(index)] : []
  )
  return { deposit: claimed, settlement: [{ ...common, fill: { transactionId } }, ...onDestination] }
}
