/** The `protocol` part of a quote, by which a client verifies the order (QUOTE-6, `includeProtocolData`). */
import * as Schema from "effect/Schema"
import { Order } from "../../domain/order/Order.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { ResolvedRequest } from "../../domain/quote/request/ResolveRequest.ts"

const encodeOrder = Schema.encodeSync(Order)

export const protocolOf = (
  { origin, originCurrency }: ResolvedRequest,
  { order, orderId, orderSignature }: {
    readonly order: Order
    readonly orderId: OrderId
    readonly orderSignature: string
  },
  amountIn: bigint
) => ({
  v2: {
    orderId,
    hubType: "onchain" as const,
    orderData: encodeOrder(order),
    orderSignature,
    paymentDetails: {
      chainId: origin.slug,
      depository: origin.depository,
      currency: originCurrency.address,
      amount: amountIn.toString()
    }
  }
})
