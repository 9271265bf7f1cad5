/**
 * How a part of a deposit that is not filled goes back (REFUND-4, ADDRESS-14): paid, kept on record, or waiting for an
 * address.
 *
 * Guarantee: the three together are all of it. None of them changes a request's state: an excess that is not worth its
 * gas leaves a success a success.
 */
import type { Address } from "../chain/Address.ts"

export type RefundPart =
  /** `amount` is what is paid, after the refund's gas. */
  | { readonly _tag: "Pay"; readonly to: Address; readonly amount: bigint }
  /** Not worth its gas: kept for `to`. */
  | { readonly _tag: "OnRecord"; readonly to: Address; readonly amount: bigint }
  /** Nobody is named who could have it; the history says so. */
  | { readonly _tag: "Waits"; readonly amount: bigint }

/** Where a refund may go. */
export interface RefundAddresses {
  /** Each an address of the refund's chain, or undefined. */
  readonly refundTo: Address | undefined
  readonly recoveryAddress: Address | undefined
}

/** The leg of `amount` whose payment costs `gas`, both in smallest units of its currency. */
export const planRefundPart = (
  { recoveryAddress, refundTo }: RefundAddresses,
  amount: bigint,
  gas: bigint
): RefundPart => {
  const to = refundTo ?? recoveryAddress
  if (to === undefined) return { _tag: "Waits", amount }
  return amount > gas ? { _tag: "Pay", to, amount: amount - gas } : { _tag: "OnRecord", to, amount }
}
