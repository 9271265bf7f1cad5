/**
 * A sweep as a payment: a call of the factory, or a deposit by the address's own key, that moves nothing of the
 * account's own but gas.
 */
import type { SweepCall, SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { factoryOf } from "../../domain/deposit-address/FactoryOf.ts"
import { OrderId } from "../../domain/order/Order.ts"

/**
 * `id` stands where other payments name an order. Undefined on a chain that has no deposit addresses, or not the
 * address's factory.
 */
export const sweepPayment = (
  chain: Chain,
  id: Hex32,
  { address, currency, depositId, depositor, key, orderId }: SweepCall
): SweepPayment | undefined => {
  if (chain.depositAddresses === undefined) return undefined
  const recipient = chain.depositAddresses.factory === undefined
    ? address
    : factoryOf(chain, { address, depositor, orderId })
  if (recipient === undefined) return undefined
  const sweep = { address, orderId, depositor, depositId, currency, ...(key === undefined ? {} : { key }) }
  return { _tag: "Sweep", chain, currency: chain.native, recipient, amount: 0n, orderId: OrderId.make(id), sweep }
}
