/**
 * How the unfilled part of a deposit is returned (REFUND-4, ADDRESS-14, ADDRESS-12): paid, kept on record, or held
 * until there is an address.
 *
 * Guarantee: paid amount, gas and kept amounts add up to the whole. No part changes a request's state: a request stays
 * a success even if its excess is not worth the gas.
 */
import type { Address } from "../chain/Address.ts"

/** One part of a deposit that is returned: paid, put on record or held. Amounts are in smallest units. */
export type RefundPart =
  /** `amount` is what is paid, after the refund's gas is subtracted. */
  | { readonly _tag: "Pay"; readonly to: Address; readonly amount: bigint }
  /** Not worth its gas. Recorded as owed to `to`. */
  | { readonly _tag: "OnRecord"; readonly to: Address; readonly amount: bigint }
  /** The request names no recipient for it. The history shows this. */
  | { readonly _tag: "Waits"; readonly amount: bigint }

/** Where a refund may go. */
export interface RefundAddresses {
  /** Each is an address on the refund's chain, or undefined. */
  readonly refundTo: Address | undefined
  readonly recoveryAddress: Address | undefined
}

/** `amount` is the whole part and `gas` the cost of its payment, both in smallest units of its currency. */
export const planRefundPart = (
  { recoveryAddress, refundTo }: RefundAddresses,
  amount: bigint,
  gas: bigint
): RefundPart => {
  const to = refundTo ?? recoveryAddress
  if (to === undefined) return { _tag: "Waits", amount }
  return amount > gas ? { _tag: "Pay", to, amount: amount - gas } : { _tag: "OnRecord", to, amount }
}
