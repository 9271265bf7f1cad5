/** A payment without an order is given the one that it has paid, or none: never one that is unlike it. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { TransactionId } from "../../chain/TransactionId.ts"
import { Hex32 } from "../../encoding/Hex.ts"
import { OrderId } from "../../order/Order.ts"
import { transferOf } from "../../permit/testing/PermitTransfers.ts"
import { orderOfNameless } from "./OrderOfNameless.ts"
import type { UnpaidOrder } from "./OrderOfNameless.ts"

const word = (n: number) => Hex32.make(`0x${n.toString(16).padStart(64, "0")}`)
const account = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const native = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const [alpha, beta] = [ChainId.make(1), ChainId.make(2)]

interface Order {
  readonly recipient: number
  readonly amountOut: bigint
  readonly deposited: bigint
}

/** From alpha to beta. Only these fields determine what a payment can be for. */
const unpaid = ({ amountOut, deposited, recipient }: Order, n: number): UnpaidOrder => ({
  transfer: transferOf({
    originChainId: alpha,
    originCurrency: native,
    destinationChainId: beta,
    destinationCurrency: native,
    user: account(100 + recipient),
    recipient: account(recipient),
    refundTo: account(100 + recipient),
    amountIn: deposited,
    amountOut,
    minimumOut: amountOut - 1n
  }, { orderId: OrderId.make(word(n)) }),
  unrefunded: [{
    onchainId: word(1_000 + n),
    chainId: alpha,
    transactionId: TransactionId.make(word(1_000 + n)),
    index: 0,
    block: { height: 1n, hash: "0x", time: 1 },
    depositId: word(n),
    depositor: account(100 + recipient),
    sender: account(100 + recipient),
    currency: native,
    amount: deposited
  }],
  excesses: new Set(),
  answered: [],
  isDelivered: false
})

const order = fc.record({
  recipient: fc.integer({ min: 1, max: 3 }),
  amountOut: fc.bigInt({ min: 10n, max: 13n }),
  deposited: fc.bigInt({ min: 10n, max: 13n })
})

describe("the order of a payment without an order id", () => {
  it("is the one that it has filled, or is not certain", () => {
    fc.assert(
      fc.property(fc.array(order, { minLength: 1, maxLength: 5 }), fc.nat(4), (orders, at) => {
        const paid = orders[at % orders.length] ?? assert.fail("no order")
        const found = orderOfNameless(
          { chainId: beta, recipient: account(paid.recipient), currency: native, amount: paid.amountOut },
          orders.map(unpaid)
        )
        const alike = orders.filter(({ amountOut, deposited, recipient }) =>
          recipient === paid.recipient && (amountOut === paid.amountOut || deposited === paid.amountOut)
        )
        assert.strictEqual(found, alike.length === 1 ? word(orders.indexOf(paid)) : undefined)
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("is the only one that it fits, also at another amount than the quoted one", () => {
    const orders = [{ recipient: 1, amountOut: 10n, deposited: 12n }, { recipient: 2, amountOut: 10n, deposited: 12n }]
    const paid = { chainId: beta, recipient: account(2), currency: native, amount: 9n }
    assert.strictEqual(orderOfNameless(paid, orders.map(unpaid)), word(1))
    // The refund of the first one's deposit, less what it cost.
    const returned = { chainId: alpha, recipient: account(101), currency: native, amount: 11n }
    assert.strictEqual(orderOfNameless(returned, orders.map(unpaid)), word(0))
  })

  it("does not exist for an account or currency of no order", () => {
    const orders = [{ recipient: 1, amountOut: 10n, deposited: 12n }].map(unpaid)
    const paid = { chainId: beta, recipient: account(1), currency: native, amount: 10n }
    assert.isUndefined(orderOfNameless({ ...paid, recipient: account(9) }, orders))
    assert.isUndefined(orderOfNameless({ ...paid, chainId: alpha }, orders))
    assert.isUndefined(orderOfNameless(paid, []))
  })
})
