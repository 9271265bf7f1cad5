/**
 * The fields of a transfer that determine its refunds: of a stored transfer, or of a deposit address whose quote was
 * dropped or forgotten.
 */
import type { Order } from "../../order/Order.ts"
import type { Address } from "../../chain/Address.ts"
import type { Transfer, TransferTerms } from "../Transfer.ts"

type Terms = Pick<
  TransferTerms,
  | "originChainId"
  | "originCurrency"
  | "user"
  | "amountIn"
  | "depositAddress"
  | "permit"
  | "sponsorship"
  | "destinationSwap"
  | "refundBounds"
>

export interface RefundedTransfer extends Pick<Transfer, "id" | "orderId"> {
  /** Without an input, oracles attest none of its refunds. */
  readonly order: Pick<Order, "inputs"> & { readonly output: Pick<Order["output"], "calls"> }
  /** No order of ours claims the deposit, and the hub credits its depositor with it, whom a refund would pay twice. */
  readonly isCredited?: true
  /** `refundTo`: undefined when the request named no address, so the money waits. */
  readonly terms: Terms & { readonly refundTo: Address | undefined }
}
