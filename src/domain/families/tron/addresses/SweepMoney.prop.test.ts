/** What a sweep on Tron moves, and what its address is sent for it, whatever was paid there. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { countedTrx, leastTrx, leftOf, shortageOf, sweptAmount } from "./SweepMoney.ts"
import type { SettledSweep } from "./SweepMoney.ts"

const MOST = 10n ** 12n
const units = fc.bigInt({ min: 0n, max: MOST })
const price = fc.bigInt({ min: 1n, max: 1_000n })
const prices = fc.record({
  energy: price,
  bandwidth: price,
  memo: units,
  newAccount: units,
  mostFeeLimit: units
})
/** Of a transaction, around what counts as paid at usual prices. */
const need = fc.bigInt({ min: 1n, max: 100_000_000n })
const runs = { numRuns: inputs(1_000, 100_000) }

describe("the money of a Tron deposit address", () => {
  it("in TRX is deposited as it was seen, and only what sweeps have left pays for its transaction besides the solver", () => {
    fc.assert(
      fc.property(prices, units, units, units, units, need, (at, final, more, seen, left, cost) => {
        const money = { isNative: true, final, trx: final + more, left }
        const amount = sweptAmount(money, seen, at)
        const paid = final < leastTrx(at) || final < left ? 0n : final - left
        assert.strictEqual(amount, paid < seen ? paid : seen)
        const sent = shortageOf(money, { amount, need: cost })
        assert.isTrue(money.trx + sent - amount >= cost && sent <= cost)
        assert.isTrue(sent + left >= cost || left >= money.trx - amount)
      }),
      runs
    )
  })

  it("is deposited in the same amount after an attempt that only funded it, and nothing is sent again", () => {
    fc.assert(
      fc.property(prices, units, units, need, (at, final, more, cost) => {
        const money = { isNative: true, final, trx: final + more, left: 0n }
        const amount = sweptAmount(money, final, at)
        fc.pre(amount > 0n)
        const sent = shortageOf(money, { amount, need: cost })
        const again = { isNative: true, final: money.trx + sent, trx: money.trx + sent, left: sent }
        assert.strictEqual(sweptAmount(again, final, at), amount)
        assert.strictEqual(shortageOf(again, { amount, need: cost }), 0n)
      }),
      runs
    )
  })

  it("in TRX stays when a token is swept, but for what sweeps have left", () => {
    fc.assert(
      fc.property(prices, units, units, units, need, (at, tokens, trx, left, cost) => {
        const money = { isNative: false, final: tokens, trx, left }
        assert.strictEqual(sweptAmount(money, undefined, at), tokens)
        const sent = shortageOf(money, { amount: tokens, need: cost })
        assert.isTrue(trx + sent >= cost && sent <= cost)
        assert.isTrue(left > trx || trx + sent - cost >= trx - left)
      }),
      runs
    )
  })

  it("is what was paid to it, whatever its sweeps were sent, cost and left: of tokens, of TRX, and expired ones", () => {
    const spent = fc.record({
      does: fc.constantFrom("pay", "sweep tokens", "sweep TRX"),
      amount: need,
      most: need,
      unused: need,
      isExpired: fc.boolean()
    })
    fc.assert(
      fc.property(prices, fc.array(spent, { maxLength: 30 }), (at, all) => {
        let [trx, paid, swept] = [0n, 0n, 0n]
        const sweeps: Array<SettledSweep> = []
        /** Where it has expired, only the solver's transfer was executed. */
        const settle = (sent: bigint, fee: bigint, moved: bigint, isExpired: boolean) => {
          const cost = isExpired ? 0n : fee
          sweeps.push({ sun: sent - cost, height: BigInt(sweeps.length) })
          trx += sent - cost - (isExpired ? 0n : moved)
          swept += isExpired ? 0n : moved
        }
        for (const { amount, does, isExpired, most, unused } of all) {
          const fee = most > unused ? most - unused : most
          const left = leftOf(sweeps, BigInt(sweeps.length)) ?? assert.fail("all are settled")
          if (does === "pay") {
            trx += amount
            paid += amount
          } else if (does === "sweep tokens") {
            settle(
              shortageOf({ isNative: false, final: 1n, trx, left }, { amount: 1n, need: most }),
              fee,
              0n,
              isExpired
            )
          } else if (countedTrx(trx, at) > left) {
            const money = { isNative: true, final: trx, trx, left }
            const moves = sweptAmount(money, countedTrx(trx, at) - left, at)
            settle(shortageOf(money, { amount: moves, need: most }), fee, moves, isExpired)
          }
          assert.isTrue(swept <= paid, `${swept} of ${paid}`)
        }
        const left = leftOf(sweeps, BigInt(sweeps.length)) ?? assert.fail("all are settled")
        assert.strictEqual(trx - left, paid - swept)
      }),
      runs
    )
  })

  it("is not known while its balance may be without one of its sweeps", () => {
    const settled = [{ sun: 7n, height: 3n }, { sun: -2n, height: 5n }]
    assert.strictEqual(leftOf(settled, 5n), 5n)
    assert.isUndefined(leftOf(settled, 4n))
    assert.strictEqual(leftOf([], 0n), 0n)
  })
})
