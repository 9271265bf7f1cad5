/** Sweeps: bounded whatever strangers send, and each coin beside the largest pays its own input. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import { dustOf } from "../spending/Dust.ts"
import { FeeRate, feeOf } from "../spending/FeeRate.ts"
import { MOST_WEIGHT, virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import { paymentOutputs } from "../steps/PaymentOutputs.ts"
import { wallets } from "../steps/testing/Wallets.ts"
import { costOf } from "../treasury/PaymentForm.ts"
import { fundFromPool } from "../treasury/PoolCoins.ts"
import type { PoolCoin } from "../treasury/PoolCoins.ts"
import { feeOfAccount, movesNothing } from "../treasury/SentPayment.ts"
import { MOST_SWEPT, sweepFee, sweptAmount, sweptCoins } from "./SweptCoins.ts"

const [solver, depository, stranger] = wallets
if (solver === undefined || depository === undefined || stranger === undefined) throw new Error("no wallets")

const rates = fc.bigInt({ min: 100n, max: 500_000n }).map((rate) => FeeRate(rate))
const amounts = fc.oneof(fc.bigInt({ min: 1n, max: 2_000n }), fc.bigInt({ min: 1n, max: 5_000_000n }))
const coinsOf = (id: string) => (held: ReadonlyArray<bigint>): ReadonlyArray<PoolCoin> =>
  held.map((amount, index) => ({ transactionId: id.repeat(32), index, amount, cluster: undefined }))
const arrived = fc.array(amounts, { minLength: 1, maxLength: 400 }).map(coinsOf("ab"))

const sum = (all: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  all.reduce((total, { amount }) => total + amount, 0n)

/** What one more input costs. */
const inputFee = (rate: FeeRate) =>
  feeOf(rate, virtualBytesOf(weightOf(["P2WPKH", "P2WPKH"], [])) - virtualBytesOf(weightOf(["P2WPKH"], [])))

const outputsOf = (amount: bigint) =>
  paymentOutputs({ payee: depository.script, amount, orderId: Hex32.make(`0x${"5a".repeat(32)}`) })

describe("the coins of a sweep", () => {
  it("are bounded, contain the largest, and leave only coins that cost more than half of their value or exceed the bound", () => {
    fc.assert(
      fc.property(arrived, rates, (coins, rate) => {
        const swept = sweptCoins(coins, rate)
        const [largest, ...others] = swept
        assert.isTrue(swept.length >= 1 && swept.length <= MOST_SWEPT)
        assert.isTrue(coins.every(({ amount }) => amount <= (largest?.amount ?? 0n)))
        assert.isTrue(others.every(({ amount }) => amount >= 2n * inputFee(rate)))
        const least = swept.at(-1)?.amount ?? 0n
        const left = coins.filter((coin) => !swept.includes(coin))
        const isFull = swept.length === MOST_SWEPT
        // A virtual byte of an input is rounded up.
        const dear = 2n * feeOf(rate, 69)
        assert.isTrue(left.every(({ amount }) => isFull ? amount <= least || amount < dear : amount < dear))
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })

  it("do not depend on their order, and a stranger's coins only ever add to what is deposited", () => {
    fc.assert(
      fc.property(arrived, arrived, rates, (coins, strangers, rate) => {
        const all = [...coins, ...strangers.map((coin) => ({ ...coin, transactionId: "cd".repeat(32) }))]
        assert.isTrue(sweptAmount(sweptCoins(all, rate), rate) >= sweptAmount(sweptCoins(coins, rate), rate))
        assert.deepStrictEqual(sweptCoins(all.toReversed(), rate), sweptCoins(all, rate))
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})

describe("a sweep", () => {
  it("deposits at least half of what its coins hold, and all of a single one; costs the solver no more than one coin; is never too large", () => {
    const pools = fc.array(fc.bigInt({ min: 1_000n, max: 9_000_000n }), { minLength: 1, maxLength: 6 })
    const rule = { coins: 4, least: 100_000n, split: 3, cluster: 20 }
    fc.assert(
      fc.property(arrived, pools.map(coinsOf("ef")), rates, (coins, pool, rate) => {
        const spent = sweptCoins(coins, rate).map((coin) => ({ ...coin, key: { generation: 1, number: 2 } }))
        const outputs = outputsOf(sweptAmount(spent, rate))
        const funded = fundFromPool(pool, { outputs, change: solver.script, rate, upTo: rate, spent }, rule)
        if (Result.isFailure(funded)) {
          // One coin of the solver is enough where it covers the fee and leaves change.
          const needed = sweepFee(rate, 1, outputs, solver.script) + 294n
          return assert.isTrue(sum(outputs) < dustOf(depository.script) || pool.every(({ amount }) => amount < needed))
        }
        const { coins: taken, fee, outputs: made } = funded.success
        assert.deepStrictEqual(taken.slice(0, spent.length), spent)
        const own = taken.slice(spent.length)
        assert.isTrue(own.length >= 1 && own.every(({ key }) => key === undefined))
        const deposited = made[0]?.amount ?? 0n
        assert.isTrue(
          spent.length === 1 ? deposited === sum(spent) : 2n * deposited >= sum(spent) && deposited < sum(spent)
        )
        // What the quote contains, and for each further coin or part of change that the pool has reason for.
        const cost = sum(own) - sum(made.slice(2))
        const more = BigInt(own.length - 1) * inputFee(rate) + BigInt(made.length - 3) * feeOf(rate, 32)
        const isAsQuoted = cost <= sweepFee(rate, 1, outputs, solver.script) + more
        assert.isTrue(made.length === 2 ? cost < sum(own) + 294n : isAsQuoted, `${cost}`)
        const form = { amounts: taken.map(({ amount }) => amount), keys: taken.map(({ key }) => key), outputs: made }
        assert.strictEqual(costOf(form), cost)
        assert.strictEqual(fee, cost + sum(spent) - deposited)
        assert.isTrue(made.slice(2).every(({ script }) => script === solver.script))
        // As the reconciliation sees it: nothing of the solver's moved, and a satoshi more would.
        const sources = taken.map(({ amount, key }) => ({
          amount,
          script: key === undefined ? solver.script : stranger.script
        }))
        const [, ...rest] = made
        const above = [{ script: depository.script, amount: sum(spent) + 1n }, ...rest]
        assert.isTrue(movesNothing(solver.script, sources, { outputs: made }))
        assert.strictEqual(feeOfAccount(solver.script, sources, { outputs: made }), cost)
        assert.isFalse(movesNothing(solver.script, sources, { outputs: above }))
        const weight = weightOf(taken.map(() => "P2WPKH"), made.map(({ script }) => script))
        assert.isTrue(weight <= MOST_WEIGHT && fee >= feeOf(rate, virtualBytesOf(weight)))
      }),
      { numRuns: inputs(500, 20_000) }
    )
  })
})
