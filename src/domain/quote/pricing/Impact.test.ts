/** Impacts calculated by hand, and the ten percent at which an impact is too high (QUOTE-3, PRICE-10). */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { Bps } from "../../money/Bps.ts"
import { Usd } from "../../money/Usd.ts"
import { checkFixedRate, fixedRateFeeUsd, parseFixedRate } from "./FixedRate.ts"
import {
  formatMicros,
  formatPercent,
  type ImpactParts,
  isSwapImpactTooHigh,
  swapImpactOf,
  toMicros,
  totalImpactOf
} from "./Impact.ts"
import { alpha, beta, pricedOn } from "../testing/Chains.ts"

const parts = (changes: Partial<ImpactParts> = {}): ImpactParts => ({
  inUsd: 1_000_000n,
  outUsd: 900_000n,
  execution: 20_000n,
  service: 5_000n,
  app: 3_000n,
  swap: 37_000n,
  sponsored: 0n,
  ...changes
})
const usdc = pricedOn(alpha, "USDC", "1")
const usdt = pricedOn(beta, "USDT", "1")

describe("impacts", () => {
  it("are sums of the quote's figures", () => {
    assert.strictEqual(totalImpactOf(parts()), -100_000n)
    assert.strictEqual(swapImpactOf(parts()), -37_000n)
    assert.strictEqual(swapImpactOf(parts({ swap: -37_000n })), 37_000n)
  })

  it("are shown truncated toward zero", () => {
    assert.deepStrictEqual([toMicros(Usd(1_999_999_999_999n)), toMicros(Usd(-1_999_999_999_999n))], [1n, -1n])
    assert.deepStrictEqual([1n, -1_500_000n, 0n].map(formatMicros), ["0.000001", "-1.500000", "0.000000"])
    assert.strictEqual(formatPercent(-37_000n, 1_000_000n), "-3.70")
    assert.strictEqual(formatPercent(-1n, 3n), "-33.33")
    assert.strictEqual(formatPercent(1n, 0n), "0.00")
  })

  it("are too high where the swap costs more than a tenth of the input, with any fees and any payer", () => {
    const judged = (swap: bigint, others: bigint) =>
      isSwapImpactTooHigh({
        amountIn: 1_000_000n,
        fees: {
          relayerGas: others,
          originGas: 0n,
          fillGas: others,
          execution: others,
          swap,
          service: others,
          app: others,
          rent: 0n
        }
      })
    for (const others of [0n, 300_000n]) {
      assert.deepStrictEqual([-200_000n, 0n, 100_000n, 100_001n].map((swap) => judged(swap, others)), [
        false,
        false,
        false,
        true
      ])
    }
  })
})

describe("a fixed rate", () => {
  const rate = (text: string) => Result.getOrThrow(parseFixedRate(text))
  const refusal = <A>(result: Result.Result<A, { readonly field?: string | undefined; readonly message: string }>) =>
    Result.isFailure(result) ? [result.failure.field, result.failure.message] : ["accepted"]

  it("is two positive decimals, of at most 120 characters", () => {
    const long = (size: number) => `1:1.${"0".repeat(18)}`.padStart(size, "0")
    assert.isTrue(Result.isSuccess(parseFixedRate(long(120))))
    for (
      const bad of [
        long(121),
        "",
        "1",
        "1:",
        ":1",
        "1:2:3",
        "0:1",
        "1:0",
        "-1:1",
        "1:-1",
        "a:b",
        "1:1.0000000000000000001"
      ]
    ) {
      assert.deepStrictEqual(refusal(parseFixedRate(bad)), [
        "fixedRate",
        "fixedRate: two positive decimals \"a:b\" are meant, b whole units out for a whole units in"
      ], bad)
    }
  })

  it("may differ from the market by the bound, in either direction, and no more", () => {
    const judged = (text: string) => refusal(checkFixedRate(rate(text), usdc, usdt, Bps(100n)))
    for (const good of ["1:1", "1:1.01", "1:0.99"]) assert.deepStrictEqual(judged(good), ["accepted"], good)
    for (const bad of ["1:1.010001", "1:0.989999"]) {
      assert.deepStrictEqual(judged(bad), [
        "fixedRate",
        "fixedRate: is more than 100 basis points away from the market rate"
      ], bad)
    }
  })

  it("costs the user its shortfall against the market, in dollars", () => {
    assert.strictEqual(fixedRateFeeUsd(2_000_000n, rate("1:0.99"), usdc, usdt), Usd(20_000_000_000_000_000n))
    assert.strictEqual(fixedRateFeeUsd(2_000_000n, rate("1:1.01"), usdc, usdt), Usd(-20_000_000_000_000_000n))
    assert.strictEqual(fixedRateFeeUsd(2_000_000n, rate("2:2"), usdc, usdt), Usd(0n))
  })
})
