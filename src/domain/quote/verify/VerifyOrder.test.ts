import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Address } from "../../chain/Address.ts"
import { Order } from "../../order/Order.ts"
import type { OrderRefund } from "../../order/Order.ts"
import { QuoteRequest } from "../request/QuoteRequest.ts"
import { resolveRequest } from "../request/ResolveRequest.ts"
import { chains, evmAddress } from "../testing/Chains.ts"
import { answer, now, settlement, solver } from "../testing/SignedQuotes.ts"
import { verifyOrder } from "./VerifyOrder.ts"

const Answer = Schema.Struct({ protocol: Schema.Struct({ v2: Schema.Struct({ orderData: Order }) }) })

const quoted = (changes: object) => {
  const body = {
    user: evmAddress("11"),
    refundTo: evmAddress("22"),
    originChainId: 1,
    destinationChainId: 2,
    originCurrency: `0x${"0".repeat(40)}`,
    destinationCurrency: `0x${"b1".repeat(20)}`,
    amount: "1000000000000000000",
    tradeType: "EXACT_INPUT",
    ...changes
  }
  return {
    resolved: Result.getOrThrow(resolveRequest(Schema.decodeUnknownSync(QuoteRequest)(body), chains)),
    order: Schema.decodeUnknownSync(Answer)(answer(body)).protocol.v2.orderData
  }
}

const withRefunds = (order: Order, refunds: ReadonlyArray<OrderRefund>): Order => ({
  ...order,
  inputs: order.inputs.map((input) => ({ ...input, refunds }))
})

describe("the refund options of an order", () => {
  for (const refundOnOrigin of [true, false]) {
    const { order, resolved } = quoted({ refundOnOrigin })
    const refunds = order.inputs[0]?.refunds ?? []
    const wrong = (changed: ReadonlyArray<OrderRefund>) =>
      verifyOrder(withRefunds(order, changed), resolved, { solver, settlement, now }).filter(({ outcome }) =>
        outcome !== "ok"
      ).map(({ name }) => name)
    const own = refunds[0] ?? assert.fail("no refund")
    const last = refunds.at(-1) ?? own

    it(`end with one for any depositor (refundOnOrigin: ${refundOnOrigin})`, () => {
      assert.lengthOf(refunds, refundOnOrigin ? 2 : 3)
      assert.deepStrictEqual(last, { ...own, recipient: Address.make(`0x${"0".repeat(40)}`) })
      assert.strictEqual(own.recipient, resolved.refundTo)
      if (!refundOnOrigin) {
        assert.deepStrictEqual([refunds[1]?.chainId, refunds[1]?.recipient], [
          resolved.destination.slug,
          resolved.recipient
        ])
      }
      assert.deepStrictEqual(wrong(refunds), [])
    })

    it(`may lack it, like those of older quotes (refundOnOrigin: ${refundOnOrigin})`, () => {
      assert.deepStrictEqual(wrong(refunds.slice(0, -1)), [])
    })

    it(`are refused with another one, or with that one changed, repeated, moved or alone (refundOnOrigin: ${refundOnOrigin})`, () => {
      const instead = (changes: Partial<OrderRefund>) => wrong([...refunds.slice(0, -1), { ...last, ...changes }])
      assert.include(instead({ minimumAmount: last.minimumAmount - 1n }), "refund to the depositor minimum")
      assert.include(instead({ deadline: last.deadline - 1 }), "refund to the depositor until")
      assert.include(instead({ chainId: resolved.destination.slug }), "refund to the depositor chain")
      assert.include(instead({ currency: resolved.destinationCurrency.address }), "refund to the depositor currency")
      assert.include(instead({ extraData: "0x00" as typeof last.extraData }), "refund to the depositor router")
      assert.isNotEmpty(instead({ recipient: Address.make(evmAddress("99")) }))
      assert.isNotEmpty(wrong([...refunds, last]))
      assert.isNotEmpty(wrong([last, ...refunds.slice(0, -1)]))
      assert.isNotEmpty(wrong([last]))
      assert.isNotEmpty(wrong([]))
    })
  }
})
