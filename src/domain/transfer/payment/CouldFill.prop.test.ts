/** A delivery fits the deposit that it was made for, at any price that holds, and no deposit of another size. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { ChainId } from "../../chain/ChainId.ts"
import { transferOf, user } from "../../permit/testing/PermitTransfers.ts"
import { couldFill } from "./CouldFill.ts"

const { depositAddress: _, destinationSwap: __, ...plain } = transferOf().terms
const { originChainId: chainId, originCurrency: currency } = plain
const strict = { address: user, depositor: user, mode: "strict", refundTo: user } as const
const amounts = fc.oneof(fc.bigInt(4n, 40n), fc.bigInt(4n, 10n ** 30n))

const cases = fc.record({
  amountIn: amounts,
  amountOut: amounts,
  amount: amounts,
  paid: amounts,
  tradeType: fc.constantFrom("EXACT_INPUT" as const, "EXACT_OUTPUT" as const),
  isStrict: fc.boolean()
})
type Case = typeof cases extends fc.Arbitrary<infer One> ? One : never

const transferOfCase = ({ amountIn, amountOut, isStrict, tradeType }: Case) => ({
  terms: { ...plain, amountIn, amountOut, tradeType, ...(isStrict ? { depositAddress: strict } : {}) }
})

const fits = (one: Case, paid: bigint, amount: bigint) =>
  couldFill(transferOfCase(one), paid, { amount, chainId, currency })

const run = (holds: (one: Case) => void) => fc.assert(fc.property(cases, holds), { numRuns: inputs(4_000, 100_000) })

describe("a delivery whose deposit is not known", () => {
  it("fits the quoted deposit when it is the quoted amount, and then no other one of an exact input", () =>
    run((one) => {
      assert.isTrue(fits(one, one.amountOut, one.amountIn))
      if (one.tradeType === "EXACT_INPUT" && !one.isStrict && one.amount !== one.amountIn) {
        assert.isFalse(fits(one, one.amountOut, one.amount))
      }
    }))

  it("never fits a deposit that is worth less than half of it, or more than twice, by the quoted price", () =>
    run((one) => {
      const worth = one.amount * one.amountOut
      const delivered = one.paid * one.amountIn
      const isCapped = one.isStrict || one.tradeType === "EXACT_OUTPUT"
      if (worth * 2n < delivered) assert.isFalse(fits(one, one.paid, one.amount))
      if (!isCapped && worth > delivered * 2n) assert.isFalse(fits(one, one.paid, one.amount))
    }))

  it("fits a deposit of any size that it was priced for within a third of the quoted price", () =>
    run((one) => {
      const due = one.amount * one.amountOut / one.amountIn
      if (due < 10n || one.isStrict || one.tradeType === "EXACT_OUTPUT") return
      for (const paid of [due - due / 3n, due, due + due / 3n]) {
        if (paid !== one.amountOut) assert.isTrue(fits(one, paid, one.amount), `${paid}`)
      }
    }))

  it("fits no deposit on another chain than the quoted one", () =>
    run((one) => {
      const elsewhere = { amount: one.amountIn, chainId: ChainId.make(chainId + 1), currency }
      assert.isFalse(couldFill(transferOfCase(one), one.amountOut, elsewhere))
    }))
})
