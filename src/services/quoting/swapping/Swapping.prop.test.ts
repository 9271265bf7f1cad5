/**
 * The law of every quote that swaps, while the pools move between any two reads: what its order pays is worth no more
 * than the deposit and what a sponsor pays, less all fees but the swap's own.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { Gas, nothingToOpen } from "../../../../ports/chain/Gas.ts"
import { Prices } from "../../../../ports/market/Prices.ts"
import { PaymentRefused, Treasury } from "../../../../ports/chain/Treasury.ts"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { convertCeil, convertFloor } from "../../../domain/money/Currency.ts"
import { MicroUsdc } from "../../../domain/ledger/MicroUsdc.ts"
import { totalAppBps } from "../../../domain/quote/pricing/AppFees.ts"
import { totalFees } from "../../../domain/quote/pricing/Fees.ts"
import type { SponsorshipTerms } from "../../../domain/quote/pricing/Fees.ts"
import { isOriginSwap } from "../../../domain/quote/OriginSwap.ts"
import { priceRequest } from "../../../domain/quote/pricing/PriceRequest.ts"
import type { PricedRequest } from "../../../domain/quote/pricing/PriceRequest.ts"
import { QuoteRequest } from "../../../domain/quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import type { ResolvedRequest } from "../../../domain/quote/request/ResolveRequest.ts"
import { isDestinationSwap } from "../../../domain/quote/UserSwap.ts"
import { currency, evmAddress, priced } from "../../../domain/quote/testing/Chains.ts"
import { quoteDestinationSwap } from "./DestinationSwapping.ts"
import { gatherMarketFacts } from "../market/MarketFacts.ts"
import { atMarket, chains, find, pools } from "../testing/Market.ts"
import { quoteOriginSwap } from "./OriginSwapping.ts"
import { defaultPolicy, Policy } from "../../operations/Policy.ts"

const pairs = [["GEM", "USDC"], ["GEM", "ETH"], ["GEM", "USDT"], ["USDC", "GEM"], ["ETH", "GEM"], [
  "GEM",
  "GEM"
]] as const

const cases = fc.record({
  pair: fc.constantFrom(...pairs),
  tradeType: fc.constantFrom("EXACT_INPUT", "EXPECTED_OUTPUT", "EXACT_OUTPUT"),
  /** Cents: at least five dollars. */
  cents: fc.bigInt(500n, 10n ** 8n),
  rates: fc.array(fc.oneof(fc.bigInt(9_900n, 10_050n), fc.bigInt(100n, 12_000n)), { minLength: 1, maxLength: 12 }),
  slippageTolerance: fc.option(fc.integer({ min: 0, max: 5_000 }).map(String), { nil: undefined }),
  gas: fc.bigInt(0n, 10n ** 14n),
  sponsored: fc.constantFrom("nobody", "all", "capped"),
  cap: fc.bigInt(0n, 10n ** 7n)
})
type Case = typeof cases extends fc.Arbitrary<infer A> ? A : never

const requestOf = ({ cents, pair: [from, to], slippageTolerance, tradeType }: Case): ResolvedRequest => {
  const [origin, destination] = [find(chains[0], from), find(chains[1], to)]
  const given = atMarket(tradeType === "EXACT_INPUT" ? origin : destination)
  return Result.getOrThrow(resolveRequest(
    Schema.decodeUnknownSync(QuoteRequest)({
      user: evmAddress("11"),
      originChainId: 1,
      destinationChainId: 2,
      originCurrency: origin.address,
      destinationCurrency: destination.address,
      tradeType,
      amount: `${convertFloor(cents * 10n ** 4n, priced(currency(1, "USD", 6, origin.address, false), "1"), given)}`,
      ...(slippageTolerance === undefined ? {} : { slippageTolerance }),
      overridePriceImpact: true
    }),
    chains
  ))
}

const sponsorOf = ({ cap, sponsored }: Case): SponsorshipTerms | undefined =>
  sponsored === "nobody"
    ? undefined
    : {
      selection: { _tag: "Defaulted", components: ["execution", "swap", "service", "app"] },
      sponsor: { _tag: "Key", cap: sponsored === "all" ? undefined : MicroUsdc(cap) },
      kind: "direct"
    }

const worldOf = ({ gas, rates }: Case) =>
  Layer.mergeAll(
    pools(rates),
    Layer.succeed(Prices, { priceOf: (of) => Effect.succeed(atMarket(of)) }),
    Layer.mock(Gas, { opening: () => Effect.succeed(nothingToOpen), ofPayment: () => Effect.succeed(gas) }),
    Layer.mock(Treasury, { replacing: () => undefined }),
    Layer.succeed(Policy, defaultPolicy)
  )

/** As `Quoting` prices what is deposited, but for inventory and the sponsor's balance. */
const priceDelivered = Effect.fnUntraced(
  function*(request: ResolvedRequest, sponsorship: SponsorshipTerms | undefined) {
    if (isDestinationSwap(request)) return yield* quoteDestinationSwap(request, undefined, sponsorship)
    const market = yield* gatherMarketFacts(request, request)
    const price = yield* Effect.fromResult(
      priceRequest({
        ...market,
        sponsorship,
        appBps: totalAppBps(request.appFees),
        spreadBps: defaultPolicy.spreadOf(request.originCurrency, request.destinationCurrency),
        paid: request.paid
      }, request)
    )
    return { market, price, fill: { request, market, price } }
  }
)

/** What of the deposit and the sponsor's money is there for the payment and the swap, smallest units of the deposit. */
const leftFor = (deposit: bigint, { priced: { fees, split } }: PricedRequest): bigint =>
  deposit + (split?.sponsoredTotal ?? 0n) - (totalFees(fees) - fees.swap)

const quoted = Effect.fnUntraced(function*(given: Case) {
  const request = requestOf(given)
  const sponsorship = sponsorOf(given)
  if (!isOriginSwap(request)) {
    const { fill, price } = yield* priceDelivered(request, sponsorship)
    return {
      deposit: price.priced.amountIn,
      least: price.priced.amountIn,
      of: atMarket(request.originCurrency),
      price,
      fill
    }
  }
  const { before, fill, found } = yield* quoteOriginSwap(
    request,
    sponsorship,
    (deposited) => priceDelivered(deposited, sponsorship)
  )
  return { deposit: before.expected, least: before.minimum, of: before.bridged, price: found.price, fill }
})

/** What the chain says to a payment of nothing, or with calls that nothing is there for. */
const refusing = new PaymentRefused({ reason: "reverts" })

/** A hundred dollars, of which the source takes little. */
const common: Case = {
  pair: ["USDC", "GEM"],
  tradeType: "EXACT_INPUT",
  cents: 10_000n,
  rates: [9_970n, 9_970n, 9_990n],
  slippageTolerance: undefined,
  gas: 0n,
  sponsored: "nobody",
  cap: 0n
}

describe("a quote that swaps", () => {
  it("and may wait for liquidity succeeds although the vault is empty: the fill is not simulated, and its gas is the source's plus the overhead", () => {
    const given = common
    const plain = requestOf(given)
    const ofRequest = (request: ResolvedRequest, stateGas?: bigint) =>
      Effect.runSync(Effect.result(Effect.provide(
        quoteDestinationSwap(request, undefined, undefined),
        Layer.mergeAll(
          worldOf(given),
          pools(given.rates, stateGas),
          Layer.mock(Treasury, { inventory: () => Effect.succeed([0n]), replacing: () => undefined }),
          Layer.mock(Gas, {
            opening: () => Effect.succeed(nothingToOpen),
            ofPayment: ({ chain }) => chain.id === plain.origin.id ? Effect.succeed(10n ** 12n) : Effect.fail(refusing)
          })
        )
      )))
    assert.deepStrictEqual(
      Result.match(ofRequest(plain), { onFailure: ({ _tag }) => _tag, onSuccess: () => "quoted" }),
      "PaymentRefused"
    )
    const { market, swapped } = Result.getOrThrow(ofRequest({ ...plain, externalLiquidity: true }))
    assert.isTrue(market.fillGas > 10n ** 14n && market.fillGas < 10n ** 15n, `${market.fillGas}`)
    // With the state that it makes, where the chain takes gas for that (PRICE-29).
    const dearer = Result.getOrThrow(ofRequest({ ...plain, externalLiquidity: true }, 400_000n)).market.fillGas
    assert.strictEqual(dearer - market.fillGas, 400_000n * 10n ** 9n)
    assert.isTrue(swapped.amountOut > 0n)
  })

  it("makes its order pay no more than the deposit and the sponsor are worth, whatever the sources say next", () => {
    const isQuoted = (given: Case): boolean => {
      const found = Effect.runSync(Effect.result(Effect.provide(quoted(given), worldOf(given))))
      if (Result.isFailure(found)) {
        assert.strictEqual(found.failure._tag, "QuoteRefused")
        return false
      }
      const { deposit, fill, least, of, price } = found.success
      const out = atMarket(fill.request.destinationCurrency)
      // A unit of each amount that was rounded, in either currency.
      const rounding = 2n + convertCeil(2n, out, of)
      const worth = (units: bigint) => convertFloor(units, out, of)
      assert.isTrue(
        worth(fill.price.priced.amountOut) <= leftFor(deposit, price) + rounding,
        `${fill.price.priced.amountOut} for ${deposit}`
      )
      assert.isTrue(price.priced.amountIn <= deposit, "a deposit of its own price is shown with its own output")
      // The least deposit that is taken delivers the least that is promised.
      assert.isTrue(least <= deposit)
      assert.isTrue(
        worth(fill.price.minimumOut) <= least + (price.priced.split?.sponsoredTotal ?? 0n) + rounding,
        `${fill.price.minimumOut} for ${least}`
      )
      return true
    }
    for (const pair of pairs) {
      for (const tradeType of ["EXACT_INPUT", "EXPECTED_OUTPUT", "EXACT_OUTPUT"] as const) {
        for (const sponsored of ["nobody", "all", "capped"] as const) {
          assert.isTrue(isQuoted({ ...common, pair, tradeType, sponsored }), `${pair.join()} ${tradeType} ${sponsored}`)
        }
      }
    }
    fc.assert(fc.property(cases, (given) => void isQuoted(given)), { numRuns: inputs(600, 50_000) })
  })
})
