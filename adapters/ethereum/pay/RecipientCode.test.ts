/** Which account's code a payment's transaction can run: read from the transaction, so that its replacement says the same. */
import { assert, describe, it } from "@effect/vitest"
import type { FillPayment, Payment } from "../../../ports/chain/PaymentKinds.ts"
import { callsRecipient } from "../../../ports/chain/PaymentKinds.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { Hex } from "../../../src/domain/encoding/Hex.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { alpha, evmAddress } from "../../../src/domain/quote/testing/Chains.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import { calledRecipient } from "./RecipientCode.ts"

const chain = { ...alpha, vault: Address.make(evmAddress("a0")), router: Address.make(evmAddress("a1")) }
const token = alpha.currencies.find(({ isNative }) => !isNative) ?? alpha.native
const recipient = Address.make(evmAddress("99"))

const fill: FillPayment = {
  _tag: "Fill",
  chain,
  currency: chain.native,
  recipient,
  orderId: OrderId.make(`0x${"ff".repeat(32)}`),
  amount: 5n,
  topup: 0n,
  authorizations: [],
  calls: undefined
}
const calls = {
  list: [{ to: Address.make(evmAddress("77")), data: Hex.make("0x"), value: 0n }],
  gas: undefined,
  leftover: undefined
} as const
const { authorizations: _, calls: __, topup: ___, ...plain } = fill

/** By its transaction, and whether a payment of its kind is asked about at all. */
const called = (payment: Payment) => {
  const body = paymentBody(payment)
  return [body && calledRecipient(chain, body)?.toLowerCase(), callsRecipient(payment)]
}

describe("the recipient whose code a payment can run (REFUND-11)", () => {
  it("is called with native currency, with a topup, and with what calls leave, whatever they swap", () => {
    const { _tag: _fill, calls: _calls, ...fallback } = fill
    for (
      const payment of [
        fill,
        { ...fill, currency: token, topup: 1n },
        { ...fill, currency: token, calls },
        { ...fill, calls },
        { ...fallback, _tag: "Fallback" }
      ] satisfies ReadonlyArray<Payment>
    ) assert.deepStrictEqual(called(payment), [recipient, true])
  })

  it("is not called with a token, and a refund is asked about by nobody", () => {
    const { _tag: _fill, calls: _calls, ...fallback } = fill
    assert.deepStrictEqual(called({ ...fill, currency: token }), [undefined, false])
    assert.deepStrictEqual(called({ ...fallback, _tag: "Fallback", currency: token }), [undefined, false])
    assert.isFalse(callsRecipient({ ...plain, _tag: "Refund" }))
    const still = { ...chain, family: { ...chain.family, callsRecipients: undefined } }
    assert.isFalse(callsRecipient({ ...fill, chain: still as unknown as typeof chain }))
  })
})
