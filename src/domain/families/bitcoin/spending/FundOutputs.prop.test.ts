/** Laws of coin selection: money is conserved, fees are bounded, change goes back and is never dust. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { wallets } from "../steps/testing/Wallets.ts"
import { dustOf } from "./Dust.ts"
import { chooseFeeRate, FeeRate, feeOf, LEAST_FEE_RATE, MOST_FEE_RATE } from "./FeeRate.ts"
import { fundOutputs } from "./FundOutputs.ts"
import type { Coin, Wanted } from "./FundOutputs.ts"
import { MOST_WEIGHT, virtualBytesOf, weightOf } from "./TransactionSize.ts"

const rates = fc.oneof(
  fc.bigInt({ min: LEAST_FEE_RATE, max: 20_000n }),
  fc.bigInt({ min: LEAST_FEE_RATE, max: MOST_FEE_RATE })
).map((rate) => FeeRate(rate))
/** Around what it costs to spend a coin, around dust, and wealth. */
const amounts = fc.oneof(fc.bigInt({ min: 0n, max: 1_000n }), fc.bigInt({ min: 0n, max: 300_000n }))
const outputs = fc.array(
  fc.record({ script: fc.constantFrom(...wallets.map(({ script }) => script)), amount: amounts }),
  { minLength: 1, maxLength: 3 }
)
const coinsOf = (amountsOfCoins: ReadonlyArray<bigint>): ReadonlyArray<Coin> =>
  amountsOfCoins.map((amount, index) => ({ transactionId: "ab".repeat(32), index, amount }))

const wanteds: fc.Arbitrary<Wanted<Coin>> = fc.record({
  owner: fc.constantFrom(...wallets),
  coins: fc.array(amounts, { maxLength: 8 }),
  outputs,
  rate: rates
}).map(({ coins, owner, ...rest }) => ({ ...rest, coins: coinsOf(coins), kind: owner.kind, change: owner.script }))

const sum = (all: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  all.reduce((total, { amount }) => total + amount, 0n)

const feeOfCoins = ({ kind, outputs, rate }: Wanted<Coin>, count: number, more: ReadonlyArray<Uint8Array> = []) =>
  feeOf(
    rate,
    virtualBytesOf(weightOf(Array.from({ length: count }, () => kind), [
      ...outputs.map(({ script }) => script),
      ...more
    ]))
  )

/** Every non-empty choice of coins. */
const choices = (coins: ReadonlyArray<Coin>): ReadonlyArray<ReadonlyArray<Coin>> =>
  Array.from({ length: 2 ** coins.length - 1 }, (_, bits) => coins.filter((_, at) => ((bits + 1) >> at) % 2 === 1))

describe("coins for outputs", () => {
  it("conserve money, pay the rate and no more than dust beyond it, and give the rest back", () => {
    fc.assert(
      fc.property(wanteds, (wanted) => {
        const funded = fundOutputs(wanted)
        if (Result.isFailure(funded)) return
        const { coins, fee, outputs } = funded.success
        assert.strictEqual(sum(coins), sum(outputs) + fee)
        assert.deepStrictEqual(outputs.slice(0, wanted.outputs.length), wanted.outputs)
        assert.strictEqual(new Set(coins.map(({ index }) => index)).size, coins.length)
        assert.isTrue(coins.every((coin) => wanted.coins.includes(coin)))
        const change = outputs.slice(wanted.outputs.length)
        assert.isTrue(outputs.every(({ amount, script }) => amount >= dustOf(script)))
        if (change.length === 0) {
          assert.isTrue(fee >= feeOfCoins(wanted, coins.length))
          assert.isTrue(fee < feeOfCoins(wanted, coins.length, [wanted.change]) + dustOf(wanted.change))
        } else {
          assert.deepStrictEqual(change.map(({ script }) => script), [wanted.change])
          assert.strictEqual(fee, feeOfCoins(wanted, coins.length, [wanted.change]))
        }
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("are found exactly when some choice of them covers it, and no smaller choice does", () => {
    fc.assert(
      fc.property(wanteds, (wanted) => {
        const funded = fundOutputs(wanted)
        const covering = choices(wanted.coins).filter((coins) =>
          sum(coins) >= sum(wanted.outputs) + feeOfCoins(wanted, coins.length)
        )
        if (Result.isSuccess(funded)) {
          const fewest = Math.min(...covering.map(({ length }) => length))
          assert.strictEqual(funded.success.coins.length, fewest)
          return
        }
        if (funded.failure._tag === "Dust") {
          assert.isTrue(wanted.outputs.some(({ amount, script }) => amount < dustOf(script)))
          return
        }
        assert.lengthOf(covering, 0)
        if (funded.failure._tag !== "Insufficient") return assert.fail(funded.failure._tag)
        const payable = choices(wanted.coins).map((coins) => sum(coins) - feeOfCoins(wanted, coins.length))
        assert.strictEqual(funded.failure.payable, payable.reduce((most, each) => each > most ? each : most, 0n))
        assert.strictEqual(funded.failure.needed, sum(wanted.outputs))
      }),
      { numRuns: inputs(1_000, 30_000) }
    )
  })

  it("are the same in whatever order they are listed", () => {
    fc.assert(
      fc.property(wanteds, fc.array(fc.nat(), { minLength: 8, maxLength: 8 }), (wanted, keys) => {
        const shuffled = wanted.coins.map((coin, at) => ({ coin, key: keys[at] ?? 0 }))
          .toSorted((left, right) => left.key - right.key).map(({ coin }) => coin)
        assert.deepStrictEqual(fundOutputs({ ...wanted, coins: shuffled }), fundOutputs(wanted))
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })

  it("are never so many that no node relays the transaction", () => {
    const [owner] = wallets
    if (owner === undefined) return assert.fail("no wallet")
    const of = (count: number, amount: bigint) =>
      fundOutputs({
        coins: coinsOf(Array.from({ length: count }, () => 1_000n)),
        kind: owner.kind,
        change: owner.script,
        outputs: [{ script: owner.script, amount }],
        rate: LEAST_FEE_RATE
      })
    const most = Math.floor(MOST_WEIGHT / 272) - 2
    assert.isTrue(Result.isSuccess(of(2_000, BigInt(most - 20) * 990n)))
    const refused = of(2_000, 1_900_000n)
    assert.deepStrictEqual(refused, Result.fail({ _tag: "TooLarge" as const, coins: 2_000 }))
  })
})

describe("a fee rate", () => {
  const bounds = fc.record({ ceiling: rates, agreeWithin: fc.bigInt({ min: 1n, max: 10n }) })
  const readings = fc.record({
    node: fc.option(rates, { nil: undefined }),
    explorer: fc.option(rates, { nil: undefined }),
    floor: rates
  })

  it("lies between floor and ceiling, and rests on no single estimate that another contradicts", () => {
    fc.assert(
      fc.property(readings, bounds, ({ explorer, floor, node }, { agreeWithin, ceiling }) => {
        const chosen = chooseFeeRate({ explorer, floor, node }, { agreeWithin, ceiling })
        const [low, high] = [node, explorer].flatMap((each) => each ?? []).toSorted((a, b) => a < b ? -1 : 1)
        // Below one satoshi a virtual byte nothing is disputed.
        const most = (low === undefined || low < 1_000n ? 1_000n : low) * agreeWithin
        if (Result.isSuccess(chosen)) {
          assert.isTrue(chosen.success >= floor && chosen.success <= ceiling)
          const told = node ?? explorer ?? assert.fail("no estimate")
          const estimate = low !== undefined && low < 1_000n && high !== undefined ? high : told
          const rate = high !== undefined && high > most ? most : estimate
          assert.strictEqual(chosen.success, rate > floor ? rate : floor)
          if (low === undefined || high === undefined) return
          assert.isTrue(rate <= most && rate * agreeWithin >= high)
          return
        }
        switch (chosen.failure._tag) {
          case "Unknown":
            return assert.isUndefined(low)
          case "Disagree":
            return assert.isTrue(high !== undefined && low !== undefined && high > most * agreeWithin)
          case "AboveCeiling":
            return assert.isTrue(chosen.failure.wanted > ceiling)
        }
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("is the higher one where a node tells 0.2 satoshi a virtual byte, and an explorer one or up to four", () => {
    const readings = { node: FeeRate(200n), explorer: FeeRate(1_000n), floor: LEAST_FEE_RATE }
    const bounds = { agreeWithin: 4n, ceiling: MOST_FEE_RATE }
    assert.deepStrictEqual(chooseFeeRate(readings, bounds), Result.succeed(FeeRate(1_000n)))
    const lied = { ...readings, node: FeeRate(100n), explorer: FeeRate(4_000n) }
    assert.deepStrictEqual(chooseFeeRate(lied, bounds), Result.succeed(FeeRate(4_000n)))
    const alone = { ...readings, explorer: undefined }
    assert.deepStrictEqual(chooseFeeRate(alone, bounds), Result.succeed(FeeRate(200n)))
    const apart = { ...readings, explorer: FeeRate(16_001n) }
    assert.strictEqual(Result.isFailure(chooseFeeRate(apart, bounds)), true)
  })

  it("is within a factor of both where a node of Core 32 tells 2 satoshi a virtual byte, and an older one 12 (BITCOIN-24)", () => {
    const bounds = { agreeWithin: 4n, ceiling: MOST_FEE_RATE }
    const [low, high] = [FeeRate(2_000n), FeeRate(12_000n)]
    for (const [node, explorer] of [[low, high], [high, low]] as const) {
      const chosen = chooseFeeRate({ node, explorer, floor: LEAST_FEE_RATE }, bounds)
      assert.deepStrictEqual(chosen, Result.succeed(FeeRate(8_000n)))
      const further = chooseFeeRate({ node, explorer, floor: LEAST_FEE_RATE }, { ...bounds, agreeWithin: 2n })
      assert.strictEqual(Result.isFailure(further), true)
    }
  })

  it("never goes above the highest of all, whatever the ceiling says", () => {
    const above = FeeRate(MOST_FEE_RATE + 1n)
    const chosen = chooseFeeRate({ node: above, explorer: above, floor: LEAST_FEE_RATE }, {
      agreeWithin: 2n,
      ceiling: FeeRate(MOST_FEE_RATE * 10n)
    })
    assert.deepStrictEqual(chosen, Result.fail({ _tag: "AboveCeiling" as const, wanted: above }))
  })
})
