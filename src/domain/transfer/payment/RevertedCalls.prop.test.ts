/** After a fill that reverted: what is refunded, what it costs the user, and what the solver loses, in any market. */
import { families } from "../../families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { Address, CurrencyAddress } from "../../chain/Address.ts"
import { ChainSlug } from "../../chain/ChainId.ts"
import { Hex, Hex32 } from "../../encoding/Hex.ts"
import { maxOf, minOf } from "../../money/Rounding.ts"
import type { Order } from "../../order/Order.ts"
import { leastRefund, planSettledRefund } from "../../hub/settling/SettledRefund.ts"
import { refundAmount } from "../refund/RefundPlan.ts"
import { chargedCalls, coveredCalls, leastAfterRevert, lostCalls } from "./RevertedCalls.ts"

const user = Address.make(`0x${"a".repeat(40)}`)
const currency = CurrencyAddress.make(`0x${"7".repeat(40)}`)
const chain = {
  slug: ChainSlug.make("base"),
  family: families["ethereum-vm"],
  network: "mainnet",
  depository: user
} as const

const orderOf = (quoted: bigint, minimumAmount: bigint): Order => ({
  version: "v1",
  solverChainId: chain.slug,
  solver: user,
  salt: Hex32.make(`0x${"1".repeat(64)}`),
  inputs: [{
    payment: { chainId: chain.slug, currency, amount: quoted, weight: 1n },
    refunds: [{
      chainId: chain.slug,
      recipient: user,
      currency,
      minimumAmount,
      deadline: 1_000_000,
      extraData: Hex.make("0x")
    }]
  }],
  output: { chainId: chain.slug, payments: [], calls: [], deadline: 9, extraData: Hex.make("0x") },
  fees: []
})

const amounts = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 10n ** 12n))

/** The quoted and deposited amounts, the quote's bounds, and the current costs of the refund and the reverted fill. */
const worlds = fc.record({
  quoted: amounts,
  part: fc.constantFrom(1n, 2n, 3n, 4n, 4n),
  more: fc.oneof(fc.constant(0n), amounts),
  gas: amounts,
  calls: amounts,
  refundGas: amounts,
  cost: amounts,
  isOld: fc.boolean()
})

describe("a refund after a fill that reverted", () => {
  it("pays at least the order's minimum and the quoted amount, charges at most the receipt, and costs the solver at most the uncovered rest", () => {
    fc.assert(
      fc.property(worlds, ({ calls, cost, gas, isOld, more, part, quoted, refundGas }) => {
        // Includes deposits below the quoted amount: their price may leave room for it, too.
        const deposited = maxOf(1n, (quoted * part) / 4n) + more
        const bounds = isOld ? undefined : { gas, calls }
        const shown = gas + (isOld ? 0n : calls)
        const minimum = maxOf(1n, quoted - shown)
        const net = refundAmount(deposited, refundGas)
        const refund = { deposited, net, least: 0n, cost, bounds }
        const order = orderOf(quoted, minimum)
        const facts = { chain, currency, recipient: user, depositor: user, deposited }
        const planned = planSettledRefund(order, facts, { net: net - chargedCalls(refund), mintable: true, now: 0 })
        if (net === 0n) return planned.amount === 0n
        assert.strictEqual(planned._tag, "Attestable")
        const paid = maxOf(planned.amount, leastAfterRevert(refund))
        // At least the order's minimum, in proportion. At least what was shown for the whole deposit. Never all, never
        // nothing.
        assert.isTrue((paid + 1n) * quoted > minimum * minOf(deposited, quoted) && paid > 0n && paid <= deposited)
        assert.isTrue(isOld || paid >= deposited - shown)
        const without = planSettledRefund(order, facts, { net, mintable: true, now: 0 }).amount
        assert.isTrue(without - paid <= cost && (!isOld || without === paid))
        // The deposit bears what it covers, as long as a refund costs no more than was shown for it.
        const lost = lostCalls(refund, paid)
        assert.isTrue(lost >= 0n && lost <= cost)
        const covered = coveredCalls(deposited, bounds, leastRefund(order, deposited))
        return refundGas > gas || lost <= maxOf(0n, cost - covered)
      }),
      { numRuns: inputs(2_000, 200_000) }
    )
  })
})
