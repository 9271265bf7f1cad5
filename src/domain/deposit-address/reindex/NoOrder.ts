/** The id of no order: what is deposited under it is its depositor's, and nobody's order is filled for it. */
import { OrderId } from "../../order/Order.ts"

export const NO_ORDER = OrderId.make(`0x${"0".repeat(64)}`)
