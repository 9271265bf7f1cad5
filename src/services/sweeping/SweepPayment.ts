/** A sweep as a payment: a call of the factory that moves nothing of the account's own but gas. */
import type { SweepCall, SweepPayment } from "../../../ports/Treasury.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Hex32 } from "../../domain/chain/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"

/** `id` stands where other payments name an order. Undefined on a chain that has no deposit addresses. */
export const sweepPayment = (chain: Chain, id: Hex32, { currency, depositId, depositor, orderId }: SweepCall): SweepPayment | undefined => {
  const factory = chain.depositAddresses?.factory
  return factory === undefined
    ? undefined
    : { chain, currency: chain.native, recipient: factory, amount: 0n, orderId: OrderId.make(id), sweep: { orderId, depositor, depositId, currency } }
}
