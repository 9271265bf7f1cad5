import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { MicroUsdc } from "../../ledger/MicroUsdc.ts"
import { Bps } from "../../money/Bps.ts"
import { usdFromMicros } from "../../money/Usd.ts"
import type { SponsorshipTerms } from "./Fees.ts"
import { relayerFee } from "./Fees.ts"
import { parseFixedRate } from "./FixedRate.ts"
import { type Market, type PriceWish, priceRequest } from "./PriceRequest.ts"
import { alpha, beta, pricedOn } from "../testing/Chains.ts"
import { formatRatio } from "../../money/Decimal.ts"

const usdc = pricedOn(alpha, "USDC", "1")

const market = (changes: Partial<Market> = {}): Market => ({
  origin: usdc,
  destination: pricedOn(beta, "USDC", "1"),
  destinationNative: pricedOn(beta, "ETH", "2000"),
  fillGas: 0n,
  ...changes
})

const exactInput = (amount: bigint, changes: Partial<PriceWish> = {}): PriceWish => ({
  amount,
  tradeType: "EXACT_INPUT",
  slippage: undefined,
  ...changes
})

const price = (facts: Market, wish: PriceWish) => Result.getOrThrow(priceRequest(facts, wish))

const codeOf = (facts: Market, wish: PriceWish): string =>
  Result.match(priceRequest(facts, wish), { onFailure: ({ code }) => code, onSuccess: () => "quoted" })

const sponsored = (
  components: ReadonlyArray<"execution" | "swap" | "service" | "app" | "rent">,
  cap?: bigint,
  kind: SponsorshipTerms["kind"] = "direct"
): SponsorshipTerms => ({
  selection: { _tag: kind === "direct" ? "Listed" : "Defaulted", components },
  sponsor: { _tag: "Key", cap: cap === undefined ? undefined : MicroUsdc(cap) },
  kind
})

const all = ["execution", "swap", "service", "app", "rent"] as const

describe("the minimum balance of a new account", () => {
  it("is delivered, or nothing is quoted, for an amount on either side of the transfer", () => {
    const { amountOut } = price(market(), exactInput(1_000_000n)).priced
    assert.strictEqual(codeOf(market({ leastOut: amountOut }), exactInput(1_000_000n)), "quoted")
    assert.strictEqual(codeOf(market({ leastOut: amountOut + 1n }), exactInput(1_000_000n)), "AMOUNT_TOO_LOW")
    assert.strictEqual(
      codeOf(market({ leastOut: 5n }), exactInput(4n, { tradeType: "EXACT_OUTPUT" })),
      "AMOUNT_TOO_LOW"
    )
  })
})

describe("the examples of PRICE-23", () => {
  it("25 USDC to USDC with an app fee of 30 bps, to the unit", () => {
    // 3014 micro-dollars of gas at 2000 dollars: 1.507e-6 ETH. Rebalancing is what is left of relayerService.
    const quoted = price(
      market({ fillGas: 1_507_000_000_000n, rebalancing: 2_376n, appBps: Bps(30n) }),
      exactInput(25_000_000n)
    )
    const { amountIn, amountOut, fees } = quoted.priced
    assert.strictEqual(fees.relayerGas, 3_014n)
    assert.strictEqual(relayerFee(fees) - fees.relayerGas, 22_376n)
    assert.strictEqual(relayerFee(fees), 25_390n)
    assert.strictEqual(fees.app, 75_000n)
    assert.strictEqual(amountOut, 24_899_610n)
    assert.strictEqual(quoted.minimumOut, 24_401_618n)
    assert.strictEqual(formatRatio(amountOut, amountIn, 18), "0.9959844")
  })

  it("100 USDC to USDT, fully sponsored, to the unit; its service of 9999 is one unit low by its own rounding", () => {
    const toUsdt = market({
      destination: pricedOn(beta, "USDT", "1"),
      // A market rate of 0.999509 USDT per USDC.
      origin: pricedOn(alpha, "USDC", "0.999509"),
      // 20010 units of USDC are two cents; 2934 units of gas are 1.467e-6 ETH at 2000 USDC.
      destinationNative: pricedOn(beta, "ETH", "1999.018"),
      fillGas: 1_467_000_000_000n,
      spreadBps: Bps(0n),
      source: { amountIn: 100_000_000n, amountOut: 99_911_418n },
      sponsorship: sponsored(all)
    })
    const { amountOut, fees, split } = price(toUsdt, exactInput(100_000_000n)).priced
    assert.deepStrictEqual([fees.execution, fees.swap, fees.service, fees.app], [22_944n, 39_502n, 10_000n, 0n])
    assert.strictEqual(amountOut, 99_950_900n)
    assert.strictEqual(split?.userPaysTotal, 0n)
    // The field's 72445 and the one unit of service.
    assert.strictEqual(split?.sponsoredTotal, 72_446n)
  })
})

describe("who pays", () => {
  const costly = market({ rebalancing: 6_980_000n })
  it("a cap of $5.00 and fees of $7.00: the sponsor pays 5.00, the user 2.00", () => {
    const { priced } = price({ ...costly, sponsorship: sponsored(all, 5_000_000n) }, exactInput(100_000_000n))
    assert.deepStrictEqual([priced.split?.sponsoredTotal, priced.userPays, priced.amountOut], [
      5_000_000n,
      2_000_000n,
      98_000_000n
    ])
  })

  it("the same at a deposit address: the sponsor pays nothing, the user 7.00", () => {
    const { priced } = price({
      ...costly,
      sponsorship: sponsored(["execution", "swap", "service", "app"], 5_000_000n, "deposit-address")
    }, exactInput(100_000_000n))
    assert.deepStrictEqual([priced.split?.sponsoredTotal, priced.userPays, priced.amountOut], [
      0n,
      7_000_000n,
      93_000_000n
    ])
  })

  it("an exact output across the cliff of a deposit address takes the least input on either side", () => {
    // Execution 20000, app 10 %: above 799800 units of input the fees pass the cap of 99980.
    const cliff = market({
      appBps: Bps(1_000n),
      sponsorship: sponsored(["execution", "swap", "service", "app"], 99_980n, "deposit-address")
    })
    const inputFor = (amount: bigint) => price(cliff, exactInput(amount, { tradeType: "EXACT_OUTPUT" })).priced
    assert.strictEqual(inputFor(799_800n).amountIn, 799_800n)
    assert.strictEqual(inputFor(799_800n).split?.outcome, "whole")
    // One unit more of output costs one unit more of fees. Then the user pays all fees, and needs that much more input.
    const over = inputFor(799_801n)
    assert.strictEqual(over.split?.outcome, "above-cap")
    assert.deepStrictEqual([over.amountIn, over.userPays], [910_890n, 111_089n])
  })

  it("the origin's gas of a gasless request is the user's under any sponsor", () => {
    const gasless = market({
      originGas: { native: pricedOn(alpha, "ETH", "2000"), units: 10n ** 12n },
      sponsorship: sponsored(all)
    })
    const { fees, userPays } = price(gasless, exactInput(100_000_000n)).priced
    assert.strictEqual(fees.originGas, 2_000n)
    assert.strictEqual(fees.execution, 22_000n)
    assert.strictEqual(userPays, 2_000n)
  })

  it("topup and rent are part of execution and of rent", () => {
    const { fees } =
      price(market({ topup: usdFromMicros(2_000_000n), rent: 10n ** 12n }), exactInput(100_000_000n)).priced
    assert.deepStrictEqual([fees.execution, fees.rent], [2_020_000n, 2_000n])
  })
})

describe("trade types and refusals", () => {
  it("slippage: 200 bps, 50 for stable pairs, what was asked for, none for an exact output", () => {
    const toUsdt = market({ destination: pricedOn(beta, "USDT", "1") })
    assert.strictEqual(price(market(), exactInput(10_000_000n)).slippage, 200n)
    assert.strictEqual(price(toUsdt, exactInput(10_000_000n)).slippage, 50n)
    assert.strictEqual(price(toUsdt, exactInput(10_000_000n, { slippage: Bps(7n) })).slippage, 7n)
    const exact = price(toUsdt, exactInput(10_000_000n, { slippage: Bps(7n), tradeType: "EXACT_OUTPUT" }))
    assert.deepStrictEqual([exact.minimumOut, exact.priced.amountOut], [10_000_000n, 10_000_000n])
    const expected = price(toUsdt, exactInput(10_000_000n, { slippage: Bps(7n), tradeType: "EXPECTED_OUTPUT" }))
    assert.deepStrictEqual([expected.minimumOut, expected.priced.amountIn], [9_993_000n, exact.priced.amountIn])
  })

  it("nothing left is AMOUNT_TOO_LOW", () => {
    assert.strictEqual(codeOf(market(), exactInput(20_000n)), "AMOUNT_TOO_LOW")
    assert.strictEqual(codeOf(market(), exactInput(20_001n)), "quoted")
  })

  it("a swap that loses more than a tenth is SWAP_IMPACT_TOO_HIGH unless overridden", () => {
    const losing = (amountOut: bigint) => market({ source: { amountIn: 1_000n, amountOut } })
    assert.strictEqual(codeOf(losing(900n), exactInput(100_000_000n)), "quoted")
    assert.strictEqual(codeOf(losing(899n), exactInput(100_000_000n)), "SWAP_IMPACT_TOO_HIGH")
    assert.strictEqual(codeOf(losing(899n), exactInput(100_000_000n, { overridePriceImpact: true })), "quoted")
  })

  it("beyond uint256 is refused on either side", () => {
    const up = market({ origin: pricedOn(alpha, "USDC", "1000000000000") })
    assert.strictEqual(codeOf(up, exactInput(2n ** 255n)), "INVALID_REQUEST")
    assert.strictEqual(codeOf(market(), exactInput(2n ** 256n - 1n, { tradeType: "EXACT_OUTPUT" })), "INVALID_REQUEST")
  })
})

describe("fixed rates", () => {
  const at = (text: string, sponsorship?: SponsorshipTerms) =>
    market({
      destination: pricedOn(beta, "USDT", "1.005"),
      spreadBps: Bps(0n),
      fixedRate: Result.getOrThrow(parseFixedRate(text)),
      sponsorship
    })

  it("better than the market costs us, and is quoted only when a sponsor pays all of it", () => {
    assert.strictEqual(codeOf(at("1:1"), exactInput(100_000_000n)), "INVALID_REQUEST")
    assert.strictEqual(codeOf(at("1:1", sponsored(["execution"])), exactInput(100_000_000n)), "INVALID_REQUEST")
    assert.strictEqual(codeOf(at("1:1", sponsored(all, 300_000n)), exactInput(100_000_000n)), "INVALID_REQUEST")
    const { amountOut, fees } = price(at("1:1", sponsored(all)), exactInput(100_000_000n)).priced
    assert.deepStrictEqual([amountOut, fees.swap], [100_000_000n, 500_000n])
  })

  it("worse than the market costs us nothing", () => {
    const { amountOut, fees, userPays } = price(at("100:99.1"), exactInput(100_000_000n)).priced
    assert.strictEqual(fees.swap, 0n)
    assert.strictEqual(amountOut, (100_000_000n - userPays) * 991n / 1000n)
  })

  it("more than FIXED_RATE_MAX_BPS from the market, or no rate, is refused", () => {
    assert.strictEqual(codeOf(at("1:1.1", sponsored(all)), exactInput(100_000_000n)), "INVALID_REQUEST")
    assert.strictEqual(codeOf(at("1:0.9", sponsored(all)), exactInput(100_000_000n)), "INVALID_REQUEST")
    for (const text of ["", "1", "1:", ":1", "0:1", "1:0", "-1:1", "1:1:1", "a:b", "1e3:1", `1:${"9".repeat(500)}`]) {
      assert.isTrue(Result.isFailure(parseFixedRate(text)), text)
    }
  })
})
