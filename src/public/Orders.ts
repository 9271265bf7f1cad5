/** Orders, their ids, signatures and router calls (ORDER-1). */
export { canonicalOrder } from "../domain/order/CanonicalOrder.ts"
export { decodeExtraData, encodeExtraData } from "../domain/order/ExtraData.ts"
export {
  Order,
  OrderFee,
  OrderId,
  OrderInput,
  OrderInputPayment,
  OrderOutput,
  OrderOutputPayment,
  OrderRefund
} from "../domain/order/Order.ts"
export { type FamilyOf, InvalidOrder, orderId } from "../domain/order/OrderId.ts"
export { isSignedBySolver, signOrder } from "../domain/order/OrderSignature.ts"
export { decodeRouterCall, encodeRouterCall, type RouterCall } from "../domain/order/RouterCall.ts"
