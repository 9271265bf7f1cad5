/** What of a transfer its refunds follow from: of one that is kept, or of a deposit address whose quote was dropped. */
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
  /** Without an input nothing of it is a refund that oracles attest. */
  readonly order: Pick<Order, "inputs"> & { readonly output: Pick<Order["output"], "calls"> }
  /** The request is gone: its deposit was swept under no order, and the hub credits the depositor with it. */
  readonly isDropped?: true
  /** `refundTo`: undefined when nobody was named, and what came waits. */
  readonly terms: Terms & { readonly refundTo: Address | undefined }
}
