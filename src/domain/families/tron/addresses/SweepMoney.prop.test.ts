/** What a sweep on Tron moves, and what its address is sent for it, whatever was paid there. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { countedTrx, leastTrx, shortageOf, sweptAmount } from "./SweepMoney.ts"

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
  it("in TRX is deposited as it was seen, and the address can pay for its transaction besides", () => {
    fc.assert(
      fc.property(prices, units, units, units, need, (at, final, more, seen, cost) => {
        const money = { isNative: true, final, trx: final + more }
        const amount = sweptAmount(money, seen, at)
        assert.isTrue(amount <= seen && amount <= final)
        assert.strictEqual(amount, final < leastTrx(at) ? 0n : final < seen ? final : seen)
        const sent = shortageOf(money, { amount, need: cost }, at)
        assert.isTrue(money.trx + sent - amount >= cost && sent <= cost)
      }),
      runs
    )
  })

  it("is deposited in the same amount after an attempt that only funded it, and nothing is sent again", () => {
    fc.assert(
      fc.property(prices, units, units, need, (at, final, more, cost) => {
        const money = { isNative: true, final, trx: final + more }
        const amount = sweptAmount(money, final, at)
        fc.pre(amount > 0n)
        const sent = shortageOf(money, { amount, need: cost }, at)
        const again = { isNative: true, final: money.trx + sent, trx: money.trx + sent }
        assert.strictEqual(sweptAmount(again, final, at), amount)
        assert.strictEqual(shortageOf(again, { amount, need: cost }, at), 0n)
      }),
      runs
    )
  })

  it("in TRX stays when a token is swept, down to an amount that never counts", () => {
    fc.assert(
      fc.property(prices, units, units, need, (at, tokens, trx, cost) => {
        const money = { isNative: false, final: tokens, trx }
        assert.strictEqual(sweptAmount(money, undefined, at), tokens)
        const sent = shortageOf(money, { amount: tokens, need: cost }, at)
        assert.isTrue(trx + sent - cost >= countedTrx(trx, at) && sent <= cost)
      }),
      runs
    )
  })
})
