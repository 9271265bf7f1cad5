/**
 * The rule of replacement against a model of a node: geth's own conditions for taking a transaction into its pool and a
 * block.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { judgeReplacement, mayNeedReplacement, replacementBounds } from "./ReplacePayment.ts"
import type { FeeBid, FeeMarket, WaitingPayment } from "./ReplacePayment.ts"

const GWEI = 1_000_000_000n
const bounds = replacementBounds(1_000, 10n)

const fee = fc.bigInt({ min: 0n, max: 500n * GWEI })
const bid = fc.tuple(fee, fee).map(([base, tip]): FeeBid => ({ maxFeePerGas: base + tip, tipPerGas: tip }))
const market = (of: Partial<FeeMarket> = {}): FeeMarket => ({
  baseFeePerGas: GWEI,
  tipPerGas: GWEI,
  headTime: 1_000_000,
  nextSequence: 7n,
  ...of
})
const payment = (of: Partial<WaitingPayment> = {}): WaitingPayment => ({
  sequence: 7n,
  bids: [{ maxFeePerGas: 3n * GWEI, tipPerGas: GWEI }],
  since: 0,
  ...of
})

/**
 * core/txpool/legacypool/list.go: both fees above the old ones, and by the price bump. Ours must also satisfy a bump of
 * 12.5 %.
 */
const nodeTakes = (old: FeeBid, next: FeeBid): boolean =>
  next.tipPerGas <= next.maxFeePerGas &&
  next.maxFeePerGas > old.maxFeePerGas && next.tipPerGas > old.tipPerGas &&
  next.maxFeePerGas * 8n >= old.maxFeePerGas * 9n && next.tipPerGas * 8n >= old.tipPerGas * 9n

describe("replacing a payment", () => {
  it("offers what every node accepts as a replacement and the chain requires, and no more than the ceiling", () => {
    fc.assert(
      fc.property(bid, fee, fee, (old, baseFeePerGas, tipPerGas) => {
        const judged = judgeReplacement(
          payment({ bids: [old] }),
          market({ baseFeePerGas, tipPerGas }),
          bounds,
          1_000_000
        )
        if (judged._tag === "Exhausted") {
          const least = (old.maxFeePerGas * 9n) / 8n + 1n
          const tip = (old.tipPerGas * 9n) / 8n + 1n
          const ceiling = old.maxFeePerGas * bounds.ceilingFactor
          return assert.isTrue(least > ceiling || tip > ceiling || baseFeePerGas > ceiling)
        }
        assert(judged._tag === "Replace")
        assert.isTrue(nodeTakes(old, judged.bid))
        assert.isTrue(judged.bid.maxFeePerGas <= old.maxFeePerGas * bounds.ceilingFactor)
        assert.isTrue(judged.bid.maxFeePerGas >= baseFeePerGas)
      }),
      { numRuns: inputs(2_000) }
    )
  })

  it("follows a rising and falling market: bids only grow, none exceeds the ceiling, and a price below the ceiling is mined in time", () => {
    const steps = fc.array(
      fc.record({ base: fc.bigInt({ min: 1n, max: 60n * GWEI }), seconds: fc.integer({ min: 1, max: 5 }) }),
      { minLength: 60, maxLength: 120 }
    )
    fc.assert(
      fc.property(fc.bigInt({ min: GWEI, max: 20n * GWEI }), steps, (start, blocks) => {
        const first: FeeBid = { maxFeePerGas: start, tipPerGas: GWEI / 10n }
        const ceiling = start * bounds.ceilingFactor
        let bids: readonly [FeeBid, ...ReadonlyArray<FeeBid>] = [first]
        let [now, since, inPool, covered] = [0, 0, first, 0]
        for (const { base, seconds } of blocks) {
          now += seconds * 1000
          if (inPool.maxFeePerGas >= base) return
          const judged = judgeReplacement(
            payment({ bids, since }),
            market({ baseFeePerGas: base, headTime: now }),
            bounds,
            now
          )
          // After two blocks in a row within the ceiling, the first of them must have been bid for, whatever came
          // before.
          covered = base <= ceiling && now - since >= bounds.pricedOutMs ? covered + 1 : 0
          assert.isTrue(covered < 2 || judged._tag === "Replace" || (inPool.maxFeePerGas * 9n) / 8n + 1n > ceiling)
          if (judged._tag !== "Replace") continue
          assert.isTrue(nodeTakes(inPool, judged.bid) && judged.bid.maxFeePerGas <= ceiling)
          assert.isTrue(judged.bid.maxFeePerGas >= base)
          inPool = judged.bid
          bids = [...bids, judged.bid]
          since = now
        }
      }),
      { numRuns: inputs(500) }
    )
  })

  it("waits for time to pass, for the chain itself to move, and for the payments before it", () => {
    const at = (now: number, of: Partial<FeeMarket> = {}, paid: Partial<WaitingPayment> = {}) =>
      judgeReplacement(payment(paid), market({ headTime: now, ...of }), bounds, now)._tag
    const dear = { baseFeePerGas: 4n * GWEI }
    assert.deepStrictEqual([at(1_999, dear), at(2_000, dear)], ["Wait", "Replace"])
    assert.deepStrictEqual([at(9_999), at(10_000)], ["Wait", "Replace"])
    // No block since then: the payment is not stuck, as nothing could have included it.
    assert.strictEqual(at(60_000, { headTime: 1_000 }), "Wait")
    // A chain whose time is ahead of ours does not speed up replacement.
    assert.strictEqual(at(9_999, { headTime: 10_000_000 }), "Wait")
    assert.deepStrictEqual([at(60_000, {}, { sequence: 8n }), at(60_000, {}, { sequence: 6n })], ["Wait", "Wait"])
    assert.deepStrictEqual([
      mayNeedReplacement({ since: 0 }, bounds, 1_999),
      mayNeedReplacement({ since: 0 }, bounds, 2_000)
    ], [false, true])
  })

  it("stops raising at the ceiling, and reports it", () => {
    const bids = [{ maxFeePerGas: 3n * GWEI, tipPerGas: GWEI }, {
      maxFeePerGas: 29n * GWEI,
      tipPerGas: 2n * GWEI
    }] as const
    assert.strictEqual(
      judgeReplacement(payment({ bids }), market({ baseFeePerGas: 40n * GWEI }), bounds, 60_000)._tag,
      "Exhausted"
    )
    // A bid below it is raised to it.
    const [first] = bids
    assert.deepStrictEqual<unknown>(
      judgeReplacement(payment({ bids: [first] }), market({ baseFeePerGas: 20n * GWEI }), bounds, 60_000),
      { _tag: "Replace", bid: { maxFeePerGas: 30n * GWEI, tipPerGas: (GWEI * 9n) / 8n + 1n } }
    )
    assert.strictEqual(
      judgeReplacement(payment(), market(), { ...bounds, ceilingFactor: 1n }, 60_000)._tag,
      "Exhausted"
    )
  })
})
