/**
 * A sweep as a payment: a call of the factory, or a deposit by the address's own key. It spends nothing of the
 * operator's account but gas.
 */
import type { SweepCall, SweepPayment } from "../../../ports/chain/PaymentKinds.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { factoryOf } from "../../domain/deposit-address/FactoryOf.ts"
import { OrderId } from "../../domain/order/Order.ts"

/**
 * `id` takes the place of an order's id in other payments. Undefined on a chain without deposit addresses or without
 * the address's factory.
 */
export const sweepPayment = (
  chain: Chain,
  id: Hex32,
  { address, currency, depositId, depositor, key, orderId, units }: SweepCall
): SweepPayment | undefined => {
  if (chain.depositAddresses === undefined) return undefined
  const recipient = chain.depositAddresses.factory === undefined
    ? address
    : factoryOf(chain, { address, depositor, orderId })
  if (recipient === undefined) return undefined
  const sweep = {
    address,
    orderId,
    depositor,
    depositId,
    currency,
    ...(key === undefined ? {} : { key }),
    ...(units === undefined ? {} : { units })
  }
  return { _tag: "Sweep", chain, currency: chain.native, recipient, amount: 0n, orderId: OrderId.make(id), sweep }
}
