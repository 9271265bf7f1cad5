/** Order ids for tests: any 32 bytes are a valid one. */
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../src/domain/order/Order.ts"

export const orderOf = (nth: number): OrderId => OrderId.make(Hex32.make(`0x${`${nth}`.padStart(2, "0").repeat(32)}`))
