/** When a payment is replaced, and by what: never above the ceiling, always more, and enough for its parents. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import { FeeRate, feeOf, MOST_FEE_RATE } from "../spending/FeeRate.ts"
import { paymentOutputs } from "../steps/PaymentOutputs.ts"
import { wallets } from "../steps/testing/Wallets.ts"
import { judgeBump, rateOf } from "./JudgeBump.ts"
import type { PaymentToBump, PooledFees } from "./JudgeBump.ts"
import { feeIn, virtualBytesIn } from "./PaymentForm.ts"
import type { PaymentForm } from "./PaymentForm.ts"

const [solver, recipient] = wallets
if (solver === undefined || recipient === undefined) throw new Error("no wallets")

const outputs = paymentOutputs({
  payee: recipient.script,
  amount: 50_000n,
  orderId: Hex32.make(`0x${"5a".repeat(32)}`)
})

/** With change of `change`, at `rate`. */
const formOf = (rate: bigint, change: bigint): PaymentForm => {
  const bare = {
    id: "ab".repeat(32),
    inputs: [{ transactionId: "cd".repeat(32), index: 0 }],
    outputs: [...outputs, { script: solver.script, amount: change }],
    bytes: new Uint8Array()
  }
  return { ...bare, amounts: [50_000n + change + feeOf(FeeRate(rate), virtualBytesIn(bare))] }
}

const paidBy = (form: Pick<PaymentForm, "amounts" | "inputs" | "outputs">) => ({
  fee: feeIn(form),
  virtualBytes: virtualBytesIn(form)
})

/** The least that an output of the account may hold, satoshi, and what a fee by a rate of whole units may lack. */
const DUST = 294n
const ROUNDING = 2n

const changeIn = ({ outputs }: PaymentForm): bigint => outputs.slice(2).reduce((sum, { amount }) => sum + amount, 0n)

const bounds = fc.record({
  pricedOutMs: fc.constant(1_000),
  stuckMs: fc.constant(10_000),
  ceilingFactor: fc.bigInt({ min: 1n, max: 50n })
})
const rates = fc.oneof(fc.bigInt({ min: 100n, max: 50_000n }), fc.bigInt({ min: 100n, max: MOST_FEE_RATE }))
const payments: fc.Arbitrary<PaymentToBump> = fc.record({
  rate: rates,
  change: fc.bigInt({ min: 294n, max: 3_000_000n }),
  parents: fc.record({ fee: fc.bigInt({ min: 0n, max: 100_000n }), virtualBytes: fc.nat(3_000) }),
  children: fc.option(fc.record({ fee: fc.bigInt({ min: 0n, max: 100_000n }), virtualBytes: fc.nat(100_000) }))
}).map(({ change, children, parents, rate }) => {
  const form = formOf(rate, change)
  const own = paidBy(form)
  const pooled = children === null ? undefined : {
    own,
    withChildren: { fee: own.fee + children.fee, virtualBytes: own.virtualBytes + children.virtualBytes }
  }
  return { first: form, newest: form, parents, lacksParent: false, pooled, since: 0 }
})

describe("a payment that waits", () => {
  it("is raised within the ceiling, by more in all and by rate, and lifts its parents to the rate where it may", () => {
    fc.assert(
      fc.property(payments, rates, rates, bounds, (payment, market, most, bound) => {
        const judged = judgeBump(
          payment,
          { rate: FeeRate(market), ceiling: FeeRate(most), headTime: 20_000 },
          bound,
          20_000
        )
        const before = paidBy(payment.newest)
        // Below one satoshi a virtual byte, that counts: a replacement adds as much.
        const counted = rateOf(before) > 1_000n ? rateOf(before) : 1_000n
        const ceiling = FeeRate(counted * bound.ceilingFactor < most ? counted * bound.ceilingFactor : most)
        const evicted = payment.pooled?.withChildren.fee ?? before.fee
        // The least that nodes take, and what all its change but dust pays.
        const step = evicted + feeOf(FeeRate(1_000n), before.virtualBytes)
        const all = before.fee + changeIn(payment.newest) - DUST
        if (judged._tag !== "Bump") {
          assert.strictEqual(judged._tag, "Exhausted")
          return assert.isTrue(step > feeOf(ceiling, before.virtualBytes) || step > all)
        }
        const { coins, fee, outputs: made } = judged.funding
        const after = { fee, virtualBytes: virtualBytesIn({ inputs: coins, outputs: made }) }
        assert.isTrue(fee <= feeOf(ceiling, after.virtualBytes))
        // Nodes take nothing that pays less than all that it evicts.
        assert.isTrue(fee >= evicted + feeOf(FeeRate(1_000n), after.virtualBytes) && rateOf(after) >= rateOf(before))
        assert.deepStrictEqual(made.slice(0, 2), outputs)
        const together = {
          fee: fee + payment.parents.fee,
          virtualBytes: after.virtualBytes + payment.parents.virtualBytes
        }
        // Up to what its change pays, however the numbers divide.
        const isBounded = fee === feeOf(ceiling, after.virtualBytes) || made.length === 2 || fee > all - ROUNDING
        assert.isTrue(isBounded || (rateOf(together) >= market && rateOf(after) >= market))
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("is raised to a market below the ceiling and to the ceiling below a market, also from 0.1 satoshi", () => {
    const bound = { pricedOutMs: 1_000, stuckMs: 10_000, ceilingFactor: 10n }
    const raised = (first: bigint, market: bigint, change = 3_000_000n) => {
      const form = formOf(first, change)
      const judged = judgeBump(
        {
          first: form,
          newest: form,
          parents: { fee: 0n, virtualBytes: 0 },
          lacksParent: false,
          pooled: undefined,
          since: 0
        },
        { rate: FeeRate(market), ceiling: FeeRate(500_000n), headTime: 20_000 },
        bound,
        20_000
      )
      if (judged._tag !== "Bump") return judged._tag
      const { coins: spent, fee, outputs: made } = judged.funding
      return { fee, size: virtualBytesIn({ inputs: spent, outputs: made }) }
    }
    const size = virtualBytesIn(formOf(1_000n, 3_000_000n))
    const at = (rate: bigint) => ({ fee: feeOf(FeeRate(rate), size), size })
    assert.deepStrictEqual(
      [100n, 110n, 111n, 400n].map((first) => raised(first, 4_000n)),
      [4, 4, 4, 4].map(() => at(4_000n))
    )
    assert.deepStrictEqual(
      [100n, 110n, 111n, 400n].map((first) => raised(first, 90_000n)),
      [1, 1, 1, 1].map(() => at(10_000n))
    )
    for (const [first, market] of [[12_345n, 200_000n], [1_500n, 16_000n], [2_500n, 26_000n]] as const) {
      assert.deepStrictEqual(raised(first, market), at(rateOf(paidBy(formOf(first, 3_000_000n))) * 10n))
    }
    // Change that pays for a part of it is spent for that part.
    assert.deepStrictEqual(raised(1_000n, 9_000n, 500n), { fee: feeOf(FeeRate(1_000n), size) + 500n, size: size - 31 })
    // Without it the fee would be above the ceiling: as little stays as may.
    const last = feeOf(FeeRate(10_000n), size) - feeOf(FeeRate(1_000n), size) + DUST - 1n
    assert.deepStrictEqual(raised(1_000n, 90_000n, last), { fee: feeOf(FeeRate(10_000n), size) - 1n, size })
  })

  it("is judged by the chain's time, sooner when it offers less than the rate, also for its parents' sake", () => {
    const bound = { pricedOutMs: 1_000, stuckMs: 10_000, ceilingFactor: 50n }
    const form = formOf(2_000n, 3_000_000n)
    const noParents = { fee: 0n, virtualBytes: 0 }
    const at = (headTime: number, market: bigint, parents = noParents, pooled?: PooledFees, lacksParent = false) =>
      judgeBump(
        { first: form, newest: form, parents, lacksParent, pooled, since: 0 },
        { rate: FeeRate(market), ceiling: MOST_FEE_RATE, headTime },
        bound,
        1_000_000
      )._tag
    assert.deepStrictEqual([at(999, 3_000n), at(1_000, 3_000n)], ["Wait", "Bump"])
    assert.deepStrictEqual([at(9_999, 2_000n), at(10_000, 2_000n)], ["Wait", "Bump"])
    const poor = { fee: 100n, virtualBytes: 200 }
    assert.deepStrictEqual([at(1_000, 2_000n), at(1_000, 2_000n, poor)], ["Wait", "Bump"])
    // What its recipient makes of it may lift it, and never lowers it.
    const own = paidBy(form)
    const beside = (fee: bigint, virtualBytes: number) => ({
      own,
      withChildren: { fee: own.fee + fee, virtualBytes: own.virtualBytes + virtualBytes }
    })
    assert.strictEqual(at(1_000, 3_000n, noParents, beside(5_000n, 100)), "Wait")
    assert.deepStrictEqual(
      [999, 1_000].map((time) => at(time, 3_000n, noParents, beside(100n, 10_000))),
      ["Wait", "Bump"]
    )
    assert.strictEqual(at(1_000, 2_000n, noParents, beside(100n, 10_000)), "Wait")
    // A parent that nodes refuse is lifted by nothing.
    assert.strictEqual(at(20_000, 3_000n, noParents, undefined, true), "Wait")
  })
})
