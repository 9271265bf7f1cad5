import { addressCodec } from "../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { asAddress } from "../families/AddressCodec.ts"
import { checksummed } from "../families/HexAccount.ts"
import { canonicalOrder } from "./CanonicalOrder.ts"
import type { Order } from "./Order.ts"
import { orderId } from "./OrderId.ts"
import { familyOf, order } from "./testing/Orders.ts"

/** Another spelling of an address or currency, if its family has one. */
const respelled = (slug: string, text: string): string => {
  switch (familyOf(slug)?.name) {
    case "ethereum-vm":
      return checksummed(asAddress(text))
    case "exchangea-vm":
      return text === addressCodec("exchangea-vm").nativeCurrency ? text : `0x${text.slice(2).toUpperCase()}`
    case "bitcoin-vm":
      return text.startsWith("bc1") && text !== addressCodec("bitcoin-vm").nativeCurrency ? text.toUpperCase() : text
    default:
      return text
  }
}

const respell = (each: Order): Order => ({
  ...each,
  inputs: each.inputs.map(({ payment, refunds }) => ({
    payment: { ...payment, currency: respelled(payment.chainId, payment.currency) },
    refunds: refunds.map((refund) => ({
      ...refund,
      recipient: respelled(refund.chainId, refund.recipient),
      currency: respelled(refund.chainId, refund.currency)
    }))
  })),
  output: {
    ...each.output,
    payments: each.output.payments.map((payment) => ({
      ...payment,
      recipient: respelled(each.output.chainId, payment.recipient),
      currency: respelled(each.output.chainId, payment.currency)
    }))
  },
  fees: each.fees.map((fee) => ({
    ...fee,
    recipient: respelled(fee.recipientChainId, fee.recipient),
    currency: respelled(fee.currencyChainId, fee.currency)
  }))
})

describe("canonicalOrder", () => {
  it("gives every spelling of an order the same text and the same id", () => {
    fc.assert(
      fc.property(order, (each) => {
        const other = respell(each)
        assert.deepStrictEqual(Result.getOrThrow(canonicalOrder(other, familyOf)), each)
        assert.deepStrictEqual(orderId(other, familyOf), orderId(each, familyOf))
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("fails exactly when the id fails", () => {
    const spoiled = fc.tuple(order, fc.nat(3), fc.constantFrom("", "0x", "x", "11111111111111111111111111111111", "0"))
      .map(([each, where, text]): Order => {
        if (where === 0) {
          return {
            ...each,
            output: {
              ...each.output,
              payments: each.output.payments.map((payment) => ({ ...payment, recipient: text }))
            }
          }
        }
        if (where === 1) return { ...each, fees: each.fees.map((fee) => ({ ...fee, currency: text })) }
        if (where === 2) {
          return {
            ...each,
            inputs: each.inputs.map((input) => ({ ...input, payment: { ...input.payment, currency: text } }))
          }
        }
        return {
          ...each,
          inputs: each.inputs.map((input) => ({
            ...input,
            refunds: input.refunds.map((refund) => ({ ...refund, recipient: text }))
          }))
        }
      })
    fc.assert(
      fc.property(spoiled, (each) => {
        assert.strictEqual(Result.isSuccess(canonicalOrder(each, familyOf)), Result.isSuccess(orderId(each, familyOf)))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
    fc.assert(
      fc.property(order, (each) => {
        assert.isTrue(Result.isFailure(canonicalOrder(each, () => undefined)))
        assert.isTrue(Result.isFailure(orderId(each, () => undefined)))
      }),
      { numRuns: inputs(50, 500) }
    )
  })
})
