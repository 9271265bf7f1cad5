/**
 * Laws of a swap before the deposit: the shown amounts add up, and the least deposit is exactly the least that is
 * filled.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Result from "effect/Result"
import { asCurrency } from "../families/AddressCodec.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Bps } from "../money/Bps.ts"
import { convertFloor, usdFloor } from "../money/Currency.ts"
import { MicroUsdc } from "../ledger/MicroUsdc.ts"
import { components } from "../sponsorship/Component.ts"
import { relayerFee, totalFees } from "./pricing/Fees.ts"
import { pricedAsPaid } from "./pricing/PaidPrice.ts"
import { priceRequest } from "./pricing/PriceRequest.ts"
import type { Market } from "./pricing/PriceRequest.ts"
import { alpha, beta, currency, evmAddress, priced, pricedOn } from "./testing/Chains.ts"

const gem = currency(1, "GEM", 18, asCurrency(evmAddress("9e")), false)

/** The deposited and the delivered currency, at today's prices. */
const markets = fc.record({
  deposited: fc.constantFrom("USDC", "ETH"),
  delivered: fc.constantFrom("USDC", "USDT", "ETH"),
  gemPrice: fc.constantFrom("0.0003", "2", "71.3"),
  fillGas: fc.bigInt(0n, 10n ** 14n),
  appBps: fc.constantFrom(0n, 30n),
  cap: fc.option(fc.bigInt(0n, 10n ** 6n), { nil: undefined }),
  isSponsored: fc.boolean()
})
type Drawn = typeof markets extends fc.Arbitrary<infer A> ? A : never

const price = (symbol: string) => symbol === "ETH" ? "2500" : "1"
const native = pricedOn(alpha, "ETH", "2500")

const marketOf = ({ appBps, cap, delivered, deposited, fillGas, isSponsored }: Drawn): Market => ({
  origin: pricedOn(alpha, deposited, price(deposited)),
  destination: pricedOn(beta, delivered, price(delivered)),
  destinationNative: native,
  fillGas,
  appBps: Bps(appBps),
  paid: gem,
  ...(isSponsored
    ? {
      sponsorship: {
        selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
        sponsor: { _tag: "Key", cap: cap === undefined ? undefined : MicroUsdc(cap) },
        kind: "direct"
      }
    }
    : {})
})

const wish = (amount: bigint, slippage: bigint) => ({
  amount,
  tradeType: "EXACT_INPUT" as const,
  slippage: Bps(slippage),
  overridePriceImpact: true
})

describe("a swap before the deposit", () => {
  it("has figures that add up: what the user pays, what a sponsor pays, what is delivered", () => {
    fc.assert(
      fc.property(markets, fc.bigInt(10n ** 6n, 10n ** 12n), fc.bigInt(9_000n, 10_500n), (drawn, micros, worth) => {
        const market = marketOf(drawn)
        const units = drawn.deposited === "ETH" ? micros * 10n ** 12n / 2_500n : micros
        const found = priceRequest(market, wish(units, 200n))
        if (Result.isFailure(found)) return
        const paid = priced(gem, drawn.gemPrice)
        // The market value of the swap's output is `worth` ten-thousandths of what the user paid.
        const amount = convertFloor(units * 10_000n / worth, market.origin, paid)
        const shown = pricedAsPaid(found.success.priced, { amount, paid, deposited: market.origin })
        const { fees, split, userPays } = shown
        assert.strictEqual(relayerFee(fees), fees.execution + fees.swap + fees.service + fees.rent)
        assert.isTrue(fees.execution >= fees.relayerGas && fees.relayerGas >= fees.fillGas)
        // What is left of the payment has the value of the delivery, up to a few units of rounding.
        const left = usdFloor(amount - userPays, paid)
        const out = usdFloor(shown.amountOut, market.destination)
        const unit = usdFloor(2n, market.origin) + usdFloor(2n, market.destination) + usdFloor(2n, paid)
        assert.isTrue(out <= left + unit && out >= left - unit - left / 10_000n * 8n, `${out} of ${left}`)
        if (split === undefined) return assert.strictEqual(userPays, totalFees(fees))
        for (const name of components) {
          const share = split.components[name]
          assert.strictEqual(share.total, fees[name])
          assert.strictEqual(share.total, share.sponsored + share.userPays)
          assert.isTrue(share.sponsored >= 0n)
          if (name !== "swap") assert.isTrue(share.userPays >= 0n)
        }
        assert.strictEqual(split.sponsoredTotal + split.userPaysTotal, totalFees(fees))
        assert.strictEqual(split.userPaysTotal, userPays)
      }),
      { numRuns: inputs(300, 20_000) }
    )
  })

  it("requests from the swap the least deposit that is filled at the quoted price, and no unit more", () => {
    fc.assert(
      fc.property(
        markets,
        fc.bigInt(10n ** 6n, 10n ** 12n),
        fc.bigInt(0n, 500n),
        fc.bigInt(0n, 10n ** 6n),
        (drawn, micros, slippage, part) => {
          const market = marketOf({ ...drawn, cap: undefined })
          const expected = drawn.deposited === "ETH" ? micros * 10n ** 12n / 2_500n : micros
          const quoted = priceRequest(market, wish(expected, slippage))
          if (Result.isFailure(quoted)) return
          const { minimumOut } = quoted.success
          const least =
            Result.getOrThrow(priceRequest(market, { ...wish(minimumOut, 0n), tradeType: "EXACT_OUTPUT" })).priced
              .amountIn
          assert.isTrue(least <= expected)
          const outOf = (deposit: bigint) =>
            Result.match(priceRequest(market, wish(deposit, 0n)), {
              onFailure: () => 0n,
              onSuccess: (found) => found.priced.amountOut
            })
          const between = least + (expected - least) * part / 10n ** 6n
          assert.isTrue(outOf(between) >= minimumOut && outOf(between) <= quoted.success.priced.amountOut)
          assert.isTrue(outOf(least - 1n) < minimumOut)
          assert.strictEqual(outOf(expected), quoted.success.priced.amountOut)
        }
      ),
      { numRuns: inputs(300, 20_000) }
    )
  })

  it("charges the service fee of the user's own pair", () => {
    const market = marketOf({
      deposited: "USDC",
      delivered: "USDC",
      gemPrice: "2",
      fillGas: 0n,
      appBps: 0n,
      cap: undefined,
      isSponsored: false
    })
    const serviceOf = (of: Market) => Result.getOrThrow(priceRequest(of, wish(10n ** 9n, 0n))).priced.fees.service
    const { paid: _, ...plain } = market
    assert.deepStrictEqual([serviceOf(market), serviceOf(plain)], [1_500_000n, 0n])
  })
})
