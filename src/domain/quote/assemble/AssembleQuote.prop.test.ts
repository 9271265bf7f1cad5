import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { anySize, directSponsorship, termsWith } from "../../../../property-tests/PricingInputs.ts"
import { Bps } from "../../money/Bps.ts"
import { usdFloor } from "../../money/Currency.ts"
import { UsdPrice } from "../../money/Usd.ts"
import { parseDecimal } from "../../money/Decimal.ts"
import { componentName, components } from "../../sponsorship/Component.ts"
import { assembleQuote } from "./AssembleQuote.ts"
import type { PricingTerms } from "../pricing/Fees.ts"
import { parseFixedRate } from "../pricing/FixedRate.ts"
import { formatPercent, toMicros } from "../pricing/Impact.ts"
import { makeRequestDecoder } from "../request/DecodeRequest.ts"
import { minimumOut, priceExactInput } from "../pricing/Pricing.ts"
import type { Priced } from "../pricing/Pricing.ts"
import { requestParameters } from "../request/QuoteRequest.ts"
import { resolveRequest } from "../request/ResolveRequest.ts"
import { alpha, beta, chains, evmAddress } from "../testing/Chains.ts"
import { Quote } from "../wire/Quote.ts"

const alphaPrice = UsdPrice(2_000n * 10n ** 36n)

const body = {
  user: evmAddress("11"),
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: alpha.native.address,
  destinationCurrency: beta.native.address,
  amount: "1",
  tradeType: "EXACT_INPUT"
}
const request = Result.getOrThrow(
  Result.flatMap(makeRequestDecoder(requestParameters)(body), (decoded) => resolveRequest(decoded, chains))
)

const quoteOf = (terms: PricingTerms, priced: Priced, slippage: Bps, changes: object = {}): Quote =>
  assembleQuote({
    request,
    priced,
    slippage,
    minimumOut: minimumOut(priced.amountOut, slippage),
    ...terms,
    originNative: terms.destinationNative,
    originGas: 0n,
    userBalance: 0n,
    timeEstimateSeconds: 1,
    serviceName: "causeway",
    routerName: "router",
    steps: [],
    protocol: undefined,
    ...changes
  })

const quotes = fc.tuple(
  termsWith(fc.oneof(fc.constant(undefined), directSponsorship)),
  anySize(10n ** 40n),
  fc.bigInt({ min: 0n, max: 10_000n })
).map(([terms, amount, slippage]) => {
  const priced = priceExactInput(terms, amount)
  return Result.isSuccess(priced)
    ? { terms, priced: priced.success, quote: quoteOf(terms, priced.success, Bps(slippage)), slippage }
    : undefined
}).filter((made) => made !== undefined)

const micros = (text: string): bigint => Result.getOrThrow(parseDecimal(text, 6))
const usd = ({ usd }: { readonly usd: string }): bigint => micros(usd)
const units = ({ amount }: { readonly amount: string }): bigint => BigInt(amount)

describe("a quote on the wire", () => {
  it("satisfies the identities of PRICE-9 in the figures that it shows", () => {
    fc.assert(
      fc.property(quotes, ({ priced, quote, slippage, terms }) => {
        const { details, fees, feeSponsorship } = quote
        assert.strictEqual(units(fees.relayer), units(fees.relayerGas) + units(fees.relayerService))
        assert.strictEqual(
          units(fees.relayer),
          priced.fees.execution + priced.fees.swap + priced.fees.service + priced.fees.rent
        )
        assert.strictEqual(units(details.currencyIn), priced.amountIn)
        const [shownIn, shownOut] = [micros(details.currencyIn.amountUsd), micros(details.currencyOut.amountUsd)]
        assert.strictEqual(usd(details.totalImpact), shownOut - shownIn)
        const { app, causeway, execution, sponsored, swap } = details.expandedPriceImpact
        const parts = [app, causeway, execution, swap].map((part) => usd(part ?? { usd: "missing" }))
        assert.strictEqual(usd(details.swapImpact), usd(swap ?? { usd: "missing" }))
        assert.strictEqual(usd(details.swapImpact), -toMicros(usdFloor(priced.fees.swap, terms.origin)))
        assert.strictEqual(details.swapImpact.percent, formatPercent(usd(details.swapImpact), shownIn))
        // The difference between the total and the parts is rent, the sponsored part, and roundings: a unit of either
        // currency, a few micro-dollars.
        const rent = toMicros(usdFloor(priced.fees.rent, terms.origin))
        const left = parts.reduce((sum, part) => sum + part, 0n) - rent + usd(sponsored ?? { usd: "missing" }) -
          usd(details.totalImpact)
        const roundings = 12n + 3n * toMicros(usdFloor(1n, terms.origin)) +
          3n * toMicros(usdFloor(1n, terms.destination))
        assert.isTrue(left <= roundings && left >= -roundings, `${left} of ${roundings}`)
        assert.strictEqual(usd(sponsored ?? { usd: "missing" }), micros(fees.subsidized.amountUsd))
        assert.isTrue(usd(sponsored ?? { usd: "-1" }) >= 0n)
        const least = BigInt(details.currencyOut.minimumAmount)
        assert.isTrue(
          least * 10_000n >= priced.amountOut * (10_000n - slippage) &&
            (least - 1n) * 10_000n < priced.amountOut * (10_000n - slippage)
        )
        assert.strictEqual(feeSponsorship === undefined, priced.split === undefined)
        if (feeSponsorship === undefined) return assert.strictEqual(fees.subsidized.amount, "0")
        const { quoted } = feeSponsorship
        assert.deepStrictEqual(
          Object.keys(quoted.components),
          components.map((component) => componentName(component, "causeway"))
        )
        const sum = (part: "total" | "sponsored" | "userPays") =>
          Object.values(quoted.components).reduce((all, share) => all + units(share[part]), 0n)
        assert.strictEqual(sum("sponsored"), units(quoted.sponsoredTotal))
        assert.strictEqual(sum("userPays"), units(quoted.userPaysTotal))
        assert.strictEqual(sum("total"), units(fees.relayer) + units(fees.app))
        assert.strictEqual(quoted.sponsoredTotal.amount, fees.subsidized.amount)
      }),
      { numRuns: inputs(1_500) }
    )
  })

  it("has the shape of its schema, and every amount a fraction and six decimals of dollars", () => {
    fc.assert(
      fc.property(quotes, ({ quote }) => {
        assert.deepStrictEqual(
          Schema.decodeUnknownSync(Quote)(JSON.parse(JSON.stringify(Schema.encodeSync(Quote)(quote)))),
          quote
        )
        for (const amount of [...Object.values(quote.fees), quote.details.currencyIn, quote.details.currencyOut]) {
          assert.match(amount.amountFormatted, /^-?\d+\.\d+$/)
          assert.match(amount.amountUsd, /^-?\d+\.\d{6}$/)
          if (amount !== quote.details.currencyOut) assert.strictEqual(amount.minimumAmount, amount.amount)
        }
        assert.match(quote.details.totalImpact.percent, /^-?\d+\.\d{2}$/)
      }),
      { numRuns: inputs(500) }
    )
  })

  it("shows a fixed rate's fee, a topup, a fallback and a cap only when they apply", () => {
    const [sample] = fc.sample(quotes, { numRuns: 1, seed: 3 })
    if (sample === undefined) return assert.fail("no sample")
    const { priced, quote, terms } = sample
    assert.notProperty(quote.details, "fixedRateFee")
    assert.notProperty(quote.details, "fallbackType")
    assert.notProperty(quote, "protocol")
    assert.strictEqual(quote.details.isFixedRate, false)
    assert.strictEqual(quote.details.currencyGasTopup.amount, "0")
    const { details } = quoteOf(terms, priced, Bps(0n), {
      topupUnits: 7n,
      fallbackType: "bridged",
      fixedRate: Result.getOrThrow(parseFixedRate("1:1"))
    })
    assert.isTrue(details.isFixedRate && details.fixedRateFee !== undefined)
    assert.deepStrictEqual([details.currencyGasTopup.amount, details.fallbackType], ["7", "bridged"])
  })

  it("a fixed rate's fee is positive when the user pays more than the market, and negative when less", () => {
    const par: PricingTerms = {
      origin: { currency: alpha.native, price: alphaPrice },
      destination: { currency: beta.native, price: alphaPrice },
      destinationNative: { currency: beta.native, price: alphaPrice },
      fillGas: 0n,
      serviceBps: Bps(0n),
      spreadBps: Bps(0n),
      appBps: Bps(0n)
    }
    const fee = (text: string) => {
      const fixedRate = Result.getOrThrow(parseFixedRate(text))
      const terms = { ...par, fixedRate }
      return quoteOf(terms, Result.getOrThrow(priceExactInput(terms, 10n ** 18n)), Bps(0n)).details.fixedRateFee?.usd ??
        ""
    }
    assert.match(fee("100:99"), /^[1-9]/)
    assert.match(fee("100:101"), /^-/)
    assert.strictEqual(fee("1:1"), "0.000000")
  })
})
