/** The gas topup of an order: its second payment, in the destination's native currency (REQUEST-13, topupGas). */
import type { Order } from "./Order.ts"

/**
 * Smallest units of the native currency, zero for an order without a topup. The quoted amount is paid, even when the
 * rest is priced again.
 */
export const topupOf = ({ output }: Pick<Order, "output">): bigint => output.payments[1]?.expectedAmount ?? 0n
