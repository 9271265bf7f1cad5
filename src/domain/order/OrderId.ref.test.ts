/** The direct encoder of order ids equals viem's hashStruct (OrderId.bench.ts compares their speed). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { hashStruct } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Order } from "./Order.ts"
import { orderId } from "./OrderId.ts"
import { familyOf, order } from "./testing/Orders.ts"
import { orderMessage, orderTypes } from "./testing/OrderTypes.ts"

const viemId = (message: ReturnType<typeof orderMessage>) =>
  hashStruct({ primaryType: "Order", types: orderTypes, data: message })

describe("orderId", () => {
  it("is viem's hashStruct of any order", () => {
    fc.assert(
      fc.property(order, (each) => {
        assert.strictEqual(Result.getOrThrow(orderId(each, familyOf)), viemId(orderMessage(each)))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("survives the wire: encoded, decoded, the same order and id", () => {
    const encode = Schema.encodeUnknownSync(Order)
    const decode = Schema.decodeUnknownSync(Order)
    fc.assert(
      fc.property(order, (each) => {
        const again = decode(JSON.parse(JSON.stringify(encode(each))))
        assert.deepStrictEqual(again, each)
        assert.deepStrictEqual(orderId(again, familyOf), orderId(each, familyOf))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })
})
