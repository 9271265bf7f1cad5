/**
 * App fees are distributed to their recipients to the unit. How similar two currencies are decides the service's shares
 * (REQUEST-28, PRICE-5).
 */
import { assert, describe, it } from "@effect/vitest"
import { Address } from "../../chain/Address.ts"
import { Bps } from "../../money/Bps.ts"
import type { Currency } from "../../money/Currency.ts"
import { shareAppFees, shareUnits, totalAppBps } from "./AppFees.ts"
import { automaticSlippageBps, pairClass, serviceBps } from "./AssetClass.ts"
import { alpha } from "../testing/Chains.ts"

const fee = (digit: string, bps: bigint) => ({ recipient: Address.make(`0x${digit.repeat(40)}`), bps: Bps(bps) })

describe("app fees", () => {
  it("are rounded down for each recipient; the first one gets the remainder", () => {
    const fees = [fee("1", 15n), fee("2", 15n), fee("3", 1n)]
    assert.strictEqual(totalAppBps(fees), Bps(31n))
    // 31 bps of 9999 are 30.9969; 15 bps 14.99, 1 bps 0.99.
    assert.deepStrictEqual(shareAppFees(9_999n, fees).map(({ units }) => units), [16n, 14n, 0n])
    assert.deepStrictEqual(shareAppFees(10_000n, fees).map(({ units }) => units), [15n, 15n, 1n])
    assert.deepStrictEqual(
      shareAppFees(10_000n, fees).map(({ recipient }) => recipient),
      fees.map(({ recipient }) => recipient)
    )
    assert.deepStrictEqual(shareAppFees(10_000n, []), [])
    assert.strictEqual(totalAppBps([]), Bps(0n))
  })

  it("divide any sum by their basis points, to the unit", () => {
    const fees = [fee("1", 15n), fee("2", 15n), fee("3", 1n)]
    assert.deepStrictEqual(shareUnits(100n, fees).map(({ units }) => units), [49n, 48n, 3n])
    assert.deepStrictEqual(shareUnits(1n, fees).map(({ units }) => units), [1n, 0n, 0n])
    assert.deepStrictEqual(shareUnits(5n, [fee("1", 0n)]).map(({ units }) => units), [0n])
    assert.deepStrictEqual(shareUnits(5n, []), [])
  })
})

const of = (symbol: string): Currency => ({ ...alpha.native, symbol })
const classOf = (a: string, b: string) => {
  assert.strictEqual(pairClass(of(a), of(b)), pairClass(of(b), of(a)))
  return pairClass(of(a), of(b))
}

describe("pairs", () => {
  it("of an asset with itself or its wrap are the same", () => {
    for (
      const [a, b] of [["WETH", "ETH"], ["WBNB", "BNB"], ["WSOL", "SOL"], ["WBTC", "BTC"], ["USDC", "USDC"], [
        "PEPE",
        "PEPE"
      ]] as const
    ) {
      assert.strictEqual(classOf(a, b), "same", `${a} ${b}`)
    }
  })

  it("of two stablecoins are stable, of known assets major, of anything else other", () => {
    const [stable, major] = [["USDC", "USDT", "DAI", "USDC.e", "PYUSD"], ["ETH", "BTC", "SOL", "BNB"]]
    for (const a of stable) {
      for (const b of stable) assert.strictEqual(classOf(a, b), a === b ? "same" : "stable")
      for (const b of [...major, "WETH", "WBTC"]) assert.strictEqual(classOf(a, b), "major", `${a} ${b}`)
      assert.strictEqual(classOf(a, "PEPE"), "other")
    }
    for (const a of major) {
      for (const b of major) assert.strictEqual(classOf(a, b), a === b ? "same" : "major")
      assert.strictEqual(classOf(a, "PEPE"), "other")
    }
    assert.strictEqual(classOf("WETH", "WBTC"), "major")
    assert.strictEqual(classOf("PEPE", "DOGE"), "other")
  })

  it("follow the table of PRICE-5", () => {
    const classes = ["same", "stable", "major", "other"] as const
    assert.deepStrictEqual(classes.map(serviceBps), [0n, 1n, 6n, 15n].map(Bps))
    assert.deepStrictEqual(classes.map(automaticSlippageBps), [200n, 50n, 200n, 200n].map(Bps))
  })
})
