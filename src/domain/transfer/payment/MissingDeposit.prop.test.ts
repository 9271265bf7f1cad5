/** What is missing of a deposit that was paid for: never less than was lost, and nothing once all of it is back. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { CurrencyAddress } from "../../chain/Address.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { transferOf, user } from "../../permit/testing/PermitTransfers.ts"
import { excessOf } from "../refund/Excess.ts"
import { missingOf, unpaidOf } from "./MissingDeposit.ts"
import type { PaidFor } from "./MissingDeposit.ts"

const { terms } = transferOf()
const { originChainId: chainId, originCurrency: currency } = terms
const other = CurrencyAddress.make(`0x${"7".repeat(40)}`)
const amounts = fc.oneof(fc.bigInt(1n, 40n), fc.bigInt(1n, 10n ** 30n))

const transferAt = (amountIn: bigint, isStrict: boolean) => {
  const { depositAddress: _, ...rest } = terms
  const address = { address: user, depositor: user, mode: "strict", refundTo: user } as const
  return { terms: { ...rest, amountIn, ...(isStrict ? { depositAddress: address } : {}) } }
}

/** What was paid for a deposit of this amount: a refund, or a fill, with the excess beside it where it was paid. */
const paymentsFor = (deposited: bigint, legs: ReadonlyArray<string>): ReadonlyArray<PaidFor> =>
  legs.map((leg) => ({ leg, chainId, currency, deposited }))

const cases = fc.record({
  transfer: fc.tuple(amounts, fc.boolean()).map(([amountIn, isStrict]) => transferAt(amountIn, isStrict)),
  deposited: amounts,
  back: amounts,
  legs: fc.constantFrom(["refund:0x1"], ["fill"], ["fallback"], ["fill", "excess:0x1"])
})

const run = (holds: (one: typeof cases extends fc.Arbitrary<infer One> ? One : never) => void) =>
  fc.assert(fc.property(cases, holds), { numRuns: inputs(2_000, 100_000) })

describe("what is missing of a deposit that was paid for", () => {
  it("is nothing once as much is back as was deposited, and all that was paid for while it is gone", () =>
    run(({ back, deposited, legs, transfer }) => {
      const payments = paymentsFor(deposited, legs)
      const amount = back > deposited ? back : deposited
      assert.strictEqual(missingOf(transfer, payments, { amount, chainId, currency }), 0n)
      const excess = legs.length === 1 && legs[0] !== "refund:0x1"
        ? excessOf(transfer, { amount: deposited, chainId, currency })
        : 0n
      assert.strictEqual(missingOf(transfer, payments, undefined), deposited - excess)
    }))

  it("is, with what is back of it, exactly what was paid for: an excess that was not returned is missing to nobody", () =>
    run(({ back, deposited, legs, transfer }) => {
      const payments = paymentsFor(deposited, legs)
      const whole = missingOf(transfer, payments, undefined) ?? -1n
      const missing = missingOf(transfer, payments, { amount: back, chainId, currency }) ?? -1n
      assert.strictEqual(missing + (back < whole ? back : whole), whole)
    }))

  it("is all of it where another currency, or another chain's, is there under its id", () =>
    run(({ back, deposited, legs, transfer }) => {
      const payments = paymentsFor(deposited, legs)
      const whole = missingOf(transfer, payments, undefined)
      assert.strictEqual(missingOf(transfer, payments, { amount: back, chainId, currency: other }), whole)
      assert.strictEqual(
        missingOf(transfer, payments, { amount: back, chainId: ChainId.make(chainId + 1), currency }),
        whole
      )
    }))

  it("leaves as unpaid what no payment was made for: of a deposit there is either that or something missing", () =>
    run(({ back, deposited, legs, transfer }) => {
      const payments = paymentsFor(deposited, legs)
      const there = { amount: back, chainId, currency }
      const unpaid = unpaidOf(transfer, payments, there) ?? -1n
      const missing = missingOf(transfer, payments, there) ?? -1n
      const whole = missingOf(transfer, payments, undefined) ?? -1n
      assert.strictEqual(whole + unpaid - missing, back)
      assert.isTrue(unpaid === 0n || missing === 0n)
      assert.strictEqual(unpaidOf(transfer, payments, { ...there, currency: other }), 0n)
      assert.isUndefined(unpaidOf(transfer, [], there))
    }))

  it("leaves nothing unpaid once the excess is paid, whatever it is beside and at whatever address", () =>
    run(({ back, deposited, legs: [leg = "fill"], transfer }) => {
      const amount = back > deposited ? back : deposited
      const payments = [...paymentsFor(deposited, [leg]), ...paymentsFor(amount, ["excess:0x1"])]
      assert.strictEqual(unpaidOf(transfer, payments, { amount, chainId, currency }), 0n)
      assert.strictEqual(missingOf(transfer, payments, { amount, chainId, currency }), 0n)
    }))

  it("is not known where one payment does not say what it was made for", () =>
    run(({ back, deposited, legs, transfer }) => {
      const [first, ...others] = paymentsFor(deposited, legs)
      if (first === undefined) throw new Error("there is a payment")
      const payments = [{ ...first, deposited: undefined }, ...others]
      assert.isUndefined(missingOf(transfer, payments, { amount: back, chainId, currency }))
    }))
})
