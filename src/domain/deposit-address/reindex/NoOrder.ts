/** The zero order id. A deposit under it belongs to its depositor, and no order is filled for it. */
import { OrderId } from "../../order/Order.ts"

export const NO_ORDER = OrderId.make(`0x${"0".repeat(64)}`)
