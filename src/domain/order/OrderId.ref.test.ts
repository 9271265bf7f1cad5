/** The direct encoder of order ids against viem's hashStruct: equal, and at least 4 times as fast. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { hashStruct } from "viem"
import { inputs } from "../../../scripts/testing/Tally.ts"
import vectors from "../settlement/vectors/settlement.json" with { type: "json" }
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

  it("is at least 4 times as fast as viem for an order as our quotes make them", () => {
    const pinned = Schema.decodeUnknownSync(Order)(vectors.order.order)
    // From an order to its id, both ways: viem too has to be given the families' bytes.
    const ours = () => orderId(pinned, familyOf)
    const theirs = () => viemId(orderMessage(pinned))
    assert.strictEqual(Result.getOrThrow(ours()), theirs())
    const timeOf = (run: () => unknown, times: number): number => {
      const started = performance.now()
      for (let index = 0; index < times; index++) run()
      return (performance.now() - started) / times
    }
    timeOf(ours, 500)
    timeOf(theirs, 200)
    // Interleaved, in batches shorter than a time slice, and the best of each: a machine that is
    // busy with other things cannot slow down one of the two only.
    const rounds = Array.from({ length: 250 }, () => [timeOf(ours, 6), timeOf(theirs, 2)] as const)
    const best = (pick: 0 | 1) => Math.min(...rounds.map((round) => round[pick]))
    const ratio = best(1) / best(0)
    console.info(`orderId ${(best(0) * 1000).toFixed(0)} µs, viem ${(best(1) * 1000).toFixed(0)} µs: ${ratio.toFixed(1)} times as fast`)
    assert.isAtLeast(ratio, 4)
  })
})
