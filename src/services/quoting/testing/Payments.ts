/** Payments of native currency on alpha whose gas a quote asks for. */
import type { FillPayment, PlainPayment } from "../../../../ports/chain/PaymentKinds.ts"
import { Address } from "../../../domain/chain/Address.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import { alpha, evmAddress } from "../../../domain/quote/testing/Chains.ts"

const common = {
  chain: alpha,
  currency: alpha.native,
  recipient: Address.make(evmAddress("99")),
  orderId: OrderId.make(`0x${"ff".repeat(32)}`),
  amount: 1n
}

export const refund: PlainPayment = { _tag: "Refund", ...common }

export const fill: FillPayment = { _tag: "Fill", ...common, topup: 0n, calls: undefined, authorizations: [] }

/** The same with an authorization of its caller (EIP-7702). */
export const authorized: FillPayment = {
  ...fill,
  authorizations: [{ chainId: 1, address: evmAddress("77"), nonce: 0, yParity: 0, r: "0x1", s: "0x1" }]
}
