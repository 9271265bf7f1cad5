/** Whoever closes the account of its refund gains nothing that does not count against the cap of unattested refunds. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { CurrencyAddress } from "../../chain/Address.ts"
import { ChainSlug } from "../../chain/ChainId.ts"
import { Hex } from "../../encoding/Hex.ts"
import { families } from "../../families/index.ts"
import { planSettledRefund } from "../../hub/settling/SettledRefund.ts"
import type { Order } from "../../order/Order.ts"
import { originRefundBound } from "../../quote/pricing/RefundBound.ts"
import { priced, solanaUsdc, solanaUser } from "../../quote/testing/Chains.ts"
import { maxOf } from "../../money/Rounding.ts"
import { borneRefund } from "./BorneRefund.ts"
import { refundAmount } from "./RefundPlan.ts"

const chain = {
  slug: ChainSlug.make("solana"),
  family: families["solana-vm"],
  network: "mainnet",
  depository: solanaUser
} as const
const currency = CurrencyAddress.make(solanaUsdc.address)
/** One unit of each is worth the same, so that the sums below are exact. */
const one = priced({ ...solanaUsdc, decimals: 0 }, "1")

const orderOf = (quoted: bigint, bound: bigint): Pick<Order, "inputs"> => ({
  inputs: [{
    payment: { chainId: chain.slug, currency, amount: quoted, weight: 1n },
    refunds: [{
      chainId: chain.slug,
      recipient: solanaUser,
      currency,
      minimumAmount: maxOf(1n, quoted - bound),
      deadline: 1_000_000,
      extraData: Hex.make("0x")
    }]
  }]
})

const amounts = fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(1n, 10n ** 12n))
const worlds = fc.record({
  quoted: amounts,
  deposited: amounts,
  rent: amounts,
  gas: amounts,
  rise: fc.bigInt(1n, 5n),
  wasOpen: fc.boolean(),
  closes: fc.boolean(),
  mintable: fc.boolean(),
  isOwn: fc.boolean()
})

/** The refund that is made in a world: what is paid of the deposit, what opens the account, and what counts. */
const refunded = (world: typeof worlds extends fc.Arbitrary<infer World> ? World : never) => {
  const { closes, deposited, gas, isOwn, mintable, quoted, rent, rise, wasOpen } = world
  const bound = originRefundBound({
    origin: one,
    originNative: one,
    refundGas: gas + (wasOpen ? 0n : rent),
    refundReopening: wasOpen ? rent : 0n
  })
  const given = closes ? rent : 0n
  const net = refundAmount(deposited, gas * rise + given)
  const refund = { chain, currency, recipient: solanaUser, depositor: solanaUser, deposited }
  const planned = planSettledRefund(orderOf(quoted, bound), refund, { mintable, net, now: 0 })
  const { amount } = planned
  const counted = borneRefund({ settles: planned._tag === "Attestable", isOwn, deposited, amount, net, given })
  return { amount, given: amount === 0n ? 0n : given, counted }
}

describe("a refund whose account was closed", () => {
  it("leaves its recipient no more than was deposited, or what is above that counts", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const { amount, counted, given } = refunded(world)
        return amount + given <= world.deposited + counted
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })

  it("counts nothing while the quoted amount was deposited and costs are within the order's bound", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const { counted } = refunded({ ...world, deposited: world.quoted, mintable: true, rise: world.rise % 3n + 1n })
        return counted === 0n
      }),
      { numRuns: inputs(20_000, 1_000_000) }
    )
  })

  it("counts the opening of the account for a small deposit, whoever made it", () => {
    const world = { quoted: 10_000n, deposited: 100n, rent: 50n, gas: 1n, rise: 1n, wasOpen: true, mintable: true }
    assert.deepStrictEqual(refunded({ ...world, closes: true, isOwn: true }), {
      amount: 100n,
      given: 50n,
      counted: 50n
    })
    assert.deepStrictEqual(refunded({ ...world, closes: true, isOwn: false }), {
      amount: 100n,
      given: 50n,
      counted: 51n
    })
    assert.deepStrictEqual(refunded({ ...world, closes: false, isOwn: true }), { amount: 100n, given: 0n, counted: 0n })
  })
})
