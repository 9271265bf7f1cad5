import { assert, describe, it } from "@effect/vitest"
import { destinationRefundBound, originRefundBound } from "./RefundBound.ts"
import { alpha, priced } from "../testing/Chains.ts"

const origin = priced(alpha.native, "2000")

describe("the amount by which an order's refund may be reduced", () => {
  it("is three times its gas, and what the deposit cost before it", () => {
    assert.strictEqual(originRefundBound({ origin, originNative: origin, refundGas: 7n }), 21n)
    assert.strictEqual(
      originRefundBound({ origin, originNative: origin, refundGas: 7n, sweepGas: { units: 30n } }),
      111n
    )
    assert.strictEqual(
      originRefundBound({ origin, originNative: origin, refundGas: 7n, originGas: { units: 30n } }),
      111n
    )
    assert.strictEqual(destinationRefundBound(7n, origin, origin), 21n)
  })
})
