/**
 * The fields of a transfer that determine its refunds: of a stored transfer, or of a deposit address whose quote was
 * dropped.
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
  /** The request was deleted: its deposit was swept under no order, and the hub credits the depositor with it. */
  readonly isDropped?: true
  /** `refundTo`: undefined when the request named no address, so the money waits. */
  readonly terms: Terms & { readonly refundTo: Address | undefined }
}
