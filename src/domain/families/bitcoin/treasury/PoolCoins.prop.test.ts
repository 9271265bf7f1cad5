/** The solver's pool: money is conserved, change comes back, clusters stay small, and the pool stays split. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { Hex32 } from "../../../encoding/Hex.ts"
import { dustOf } from "../spending/Dust.ts"
import { FeeRate, feeOf, MOST_FEE_RATE } from "../spending/FeeRate.ts"
import { fundOutputs } from "../spending/FundOutputs.ts"
import { virtualBytesOf, weightOf } from "../spending/TransactionSize.ts"
import { paymentOutputs } from "../steps/PaymentOutputs.ts"
import { wallets } from "../steps/testing/Wallets.ts"
import { clusterWith, fundFromPool, raisableTo } from "./PoolCoins.ts"
import type { PoolCoin, PoolPayment, PoolRule } from "./PoolCoins.ts"
import { atHigherFee, feeOfChild } from "./ReplacePayment.ts"

const [solver, recipient] = wallets
if (solver === undefined || recipient === undefined) throw new Error("no wallets")
const orderId = Hex32.make(`0x${"5a".repeat(32)}`)

const paymentOf = (amount: bigint, rate: FeeRate): PoolPayment => ({
  outputs: paymentOutputs({ payee: recipient.script, amount, orderId }),
  change: solver.script,
  rate,
  upTo: raisableTo(rate, MOST_FEE_RATE)
})
const payments = fc.record({
  amount: fc.bigInt({ min: 546n, max: 400_000n }),
  rate: fc.bigInt({ min: 100n, max: 100_000n }).map((rate) => FeeRate(rate))
}).map(({ amount, rate }) => paymentOf(amount, rate))

const clusters = fc.option(
  fc.record({ name: fc.constantFrom("a", "b", "c"), transactions: fc.integer({ min: 1, max: 22 }) }),
  { nil: undefined }
)
const pools = fc.array(fc.record({ amount: fc.bigInt({ min: 0n, max: 500_000n }), cluster: clusters }), {
  maxLength: 8
}).map((coins): ReadonlyArray<PoolCoin> =>
  coins.map((coin, index) => ({ ...coin, transactionId: "ab".repeat(32), index }))
)
const rules: fc.Arbitrary<PoolRule> = fc.record({
  coins: fc.integer({ min: 1, max: 12 }),
  least: fc.bigInt({ min: 0n, max: 100_000n }),
  split: fc.integer({ min: 1, max: 5 }),
  cluster: fc.constant(20)
})

const sum = (all: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  all.reduce((total, { amount }) => total + amount, 0n)

const sizeOf = (coins: ReadonlyArray<unknown>, outputs: ReadonlyArray<{ readonly script: Uint8Array }>) =>
  virtualBytesOf(weightOf(coins.map(() => "P2WPKH"), outputs.map(({ script }) => script)))

const funded = fc.tuple(pools, payments, rules).map(([coins, payment, rule]) => ({
  coins,
  payment,
  rule,
  funding: fundFromPool(coins, payment, rule)
}))

describe("a payment from the pool", () => {
  it("conserves money, pays the rate, and returns change in parts that are worth it", () => {
    fc.assert(
      fc.property(funded, ({ funding, payment, rule }) => {
        if (Result.isFailure(funding)) return
        const { coins, fee, outputs } = funding.success
        assert.strictEqual(sum(coins), sum(outputs) + fee)
        assert.deepStrictEqual(outputs.slice(0, 2), payment.outputs)
        const change = outputs.slice(2)
        assert.isTrue(change.every(({ amount, script }) => script === payment.change && amount >= dustOf(script)))
        assert.isAtMost(change.length, Math.max(1, rule.split))
        if (change.length > 1) assert.isTrue(change.every(({ amount }) => amount >= rule.least))
        const least = feeOf(payment.rate, sizeOf(coins, outputs))
        const most = feeOf(payment.rate, sizeOf(coins, [...outputs, { script: payment.change }])) + 294n
        assert.isTrue(fee >= least && fee <= (change.length === 0 ? most : least))
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("has change that pays for a replacement at four times the rate, or at the ceiling (BITCOIN-19)", () => {
    fc.assert(
      fc.property(funded, fc.bigInt({ min: 1_000n, max: 400_000n }), ({ coins, payment, rule }, ceiling) => {
        // A node asks for one satoshi a virtual byte more: below that rate four times as much is less than this.
        const rate = FeeRate(payment.rate + 1_000n)
        const upTo = raisableTo(rate, FeeRate(ceiling))
        assert.isTrue(upTo >= rate && upTo <= rate * 4n && (upTo === rate || upTo <= ceiling))
        const funding = fundFromPool(coins, { ...payment, rate, upTo }, rule)
        if (Result.isFailure(funding) || upTo < rate * 4n) return
        const raised = Result.getOrThrow(atHigherFee({ funding: funding.success, paid: 2 }, upTo))
        assert.isTrue(raised.fee >= feeOf(upTo, sizeOf(raised.coins, raised.outputs)))
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("is made of coins that would pay four satoshi a virtual byte, however low its rate", () => {
    const raisedFrom = (rate: bigint, ceiling = 500_000n) => raisableTo(FeeRate(rate), FeeRate(ceiling))
    assert.deepStrictEqual([100n, 999n, 1_000n, 1_001n].map((rate) => raisedFrom(rate)), [
      4_000n,
      4_000n,
      4_000n,
      4_004n
    ])
    assert.deepStrictEqual([raisedFrom(100n, 2_000n), raisedFrom(3_000n, 2_000n)], [2_000n, 3_000n])
  })

  // Seed 2380153: a fill took the whole treasury and a stranger's dust at a rate that a node named wrongly.
  it("is not made of all that there is, with strangers' dust that nothing could replace", () => {
    const coin = (amount: bigint, index: number) => ({
      transactionId: "ab".repeat(32),
      index,
      amount,
      cluster: undefined
    })
    const coins = [1_000_000n, 145_222n, ...Array.from({ length: 38 }, () => 294n)].map(coin)
    const rule: PoolRule = { coins: 4, least: 500_000n, split: 3, cluster: 5 }
    const payment = paymentOf(1_153_344n, FeeRate(1_000n))
    assert.isTrue(Result.isSuccess(fundFromPool(coins, { ...payment, upTo: payment.rate }, rule)))
    assert.isTrue(Result.isFailure(fundFromPool(coins, payment, rule)))
  })

  it("spends unconfirmed change only where coins in blocks do not suffice, and joins no large cluster", () => {
    fc.assert(
      fc.property(funded, ({ coins, funding, payment, rule }) => {
        const inBlocks = coins.filter(({ cluster }) => cluster === undefined)
        const enough = Result.isSuccess(
          fundOutputs({ ...payment, rate: payment.upTo, coins: inBlocks, kind: "P2WPKH" })
        )
        if (Result.isFailure(funding)) return assert.isFalse(enough)
        const joined = funding.success.coins.filter(({ cluster }) => cluster !== undefined)
        assert.isAtMost(joined.length, enough ? 0 : 1)
        assert.isAtMost(clusterWith(funding.success.coins), rule.cluster)
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("splits its change as without the coins that are worth less than one of the pool, however many strangers send", () => {
    const rule: PoolRule = { coins: 20, least: 100_000n, split: 3, cluster: 20 }
    const coin = { transactionId: "ab".repeat(32), index: 0, amount: 100_000_000n, cluster: undefined }
    const dust = fc.array(fc.bigInt({ min: 294n, max: rule.least - 1n }), { maxLength: 60 })
    fc.assert(
      fc.property(
        fc.oneof(fc.constant(Array.from({ length: 20 }, () => 294n)), dust),
        fc.bigInt({ min: rule.least * 2n, max: 50_000_000n }),
        (amounts, amount) => {
          const sent = amounts.map((each, at) => ({ ...coin, transactionId: "cd".repeat(32), index: at, amount: each }))
          const payment = paymentOf(amount, FeeRate(2_000n))
          const { coins, outputs } = Result.getOrThrow(fundFromPool([...sent, coin], payment, rule))
          assert.deepStrictEqual(coins, [coin])
          assert.lengthOf(outputs.slice(2), rule.split)
        }
      ),
      { numRuns: inputs(1_000, 20_000) }
    )
  })

  it("is one of a hundred at once from twenty coins: each coin is spent once, and no cluster grows beyond the rule", () => {
    const rule: PoolRule = { coins: 20, least: 50_000n, split: 3, cluster: 20 }
    let coins: ReadonlyArray<PoolCoin> = Array.from({ length: 20 }, (_, index) => ({
      transactionId: "ab".repeat(32),
      index,
      amount: 1_000_000n,
      cluster: undefined
    }))
    const spent = new Set<string>()
    const members = new Map<string, number>()
    for (let nth = 0; nth < 100; nth += 1) {
      const { coins: taken, outputs } = Result.getOrThrow(
        fundFromPool(coins, paymentOf(20_000n, FeeRate(2_000n)), rule)
      )
      for (const { index, transactionId } of taken) {
        assert.isFalse(spent.has(`${transactionId}:${index}`))
        spent.add(`${transactionId}:${index}`)
      }
      const transactions = clusterWith(taken)
      const name = taken.flatMap(({ cluster }) => cluster?.name ?? [])[0] ?? `cluster ${nth}`
      members.set(name, transactions)
      const made = outputs.slice(2).map(({ amount }, at): PoolCoin => ({
        transactionId: nth.toString(16).padStart(64, "0"),
        index: 2 + at,
        amount,
        cluster: { name, transactions }
      }))
      coins = [...coins.filter((coin) => !taken.includes(coin)), ...made].map((coin) =>
        coin.cluster?.name === name ? { ...coin, cluster: { name, transactions } } : coin
      )
    }
    assert.isAtMost(Math.max(...members.values()), 20)
    assert.isAtLeast(coins.length, 20)
  })
})

describe("a payment at a higher fee", () => {
  it("spends the same coins, pays the same outputs, and offers more in all and by size, as often as it is repeated", () => {
    fc.assert(
      fc.property(funded, fc.array(fc.bigInt({ min: 100n, max: 400_000n }), { maxLength: 6 }), ({ funding }, rates) => {
        if (Result.isFailure(funding)) return
        let now = funding.success
        for (const rate of rates) {
          const next = atHigherFee({ funding: now, paid: 2 }, FeeRate(rate))
          const held = sum(now.coins)
          if (Result.isFailure(next)) {
            const { change, needed } = next.failure
            assert.isTrue(needed > now.fee + change)
            assert.strictEqual(change, sum(now.outputs.slice(2)))
            return
          }
          const { coins, fee, outputs } = next.success
          assert.deepStrictEqual(coins, now.coins)
          assert.deepStrictEqual(outputs.slice(0, 2), now.outputs.slice(0, 2))
          assert.strictEqual(held, sum(outputs) + fee)
          const [size, before] = [sizeOf(coins, outputs), sizeOf(now.coins, now.outputs)]
          assert.isTrue(fee >= now.fee + BigInt(size))
          assert.isTrue(fee * BigInt(before) > now.fee * BigInt(size))
          assert.isTrue(fee >= feeOf(FeeRate(rate), size))
          assert.isTrue(outputs.every(({ amount, script }) => amount >= dustOf(script)))
          now = next.success
        }
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("is paid by a child where it has one: both together reach the rate, and the child by itself, too", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 5_000 }),
        fc.bigInt({ min: 0n, max: 100_000n }),
        fc.integer({ min: 100, max: 500 }),
        fc.bigInt({ min: 100n, max: 100_000n }).map((rate) => FeeRate(rate)),
        (virtualBytes, fee, childBytes, rate) => {
          const paid = feeOfChild({ virtualBytes, fee }, childBytes, rate)
          assert.isTrue(paid >= feeOf(rate, childBytes))
          assert.isTrue(paid + fee >= feeOf(rate, virtualBytes + childBytes))
          assert.isTrue(paid === feeOf(rate, childBytes) || paid + fee === feeOf(rate, virtualBytes + childBytes))
        }
      ),
      { numRuns: inputs(2_000, 50_000) }
    )
  })
})
