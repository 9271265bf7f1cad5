/** Prices a resolved request from market facts: the three trade types, the automatic tolerance, the refusals (spec/3 §4). */
import * as Result from "effect/Result"
import { Bps, zeroBps } from "../money/Bps.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { automaticSlippageBps, pairClass, serviceBps } from "./AssetClass.ts"
import { impactParts } from "./AssembleQuote.ts"
import { isSwapImpactTooHigh } from "./Impact.ts"
import { minimumOut, priceExactInput, priceExactOutput } from "./Pricing.ts"
import type { Priced, PricingTerms } from "./Pricing.ts"
import { QuoteRefused } from "./QuoteError.ts"
import type { Currency } from "../money/Currency.ts"
import type { TradeType } from "./TradeType.ts"

export interface PricedRequest {
  readonly priced: Priced
  readonly slippage: Bps
  readonly minimumOut: bigint
}

export interface Market {
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  readonly destinationNative: PricedCurrency
  readonly fillGas: bigint
}

/** What unlike assets from inventory cost beyond the market, default (RISK_SPREAD_BPS). */
export const DEFAULT_SPREAD_BPS = Bps(8n)

export const pricingTerms = (market: Market): PricingTerms => {
  const pair = pairClass(market.origin.currency, market.destination.currency)
  return {
    ...market,
    serviceBps: serviceBps(pair),
    spreadBps: pair === "same" ? zeroBps : DEFAULT_SPREAD_BPS,
    appBps: zeroBps
  }
}

const slippageFor = (tradeType: TradeType, asked: Bps | undefined, from: Currency, to: Currency): Bps =>
  tradeType === "EXACT_OUTPUT" ? zeroBps : asked ?? automaticSlippageBps(pairClass(from, to))

export const priceRequest = (
  market: Market,
  request: { readonly amount: bigint; readonly tradeType: TradeType; readonly slippage: Bps | undefined }
): Result.Result<PricedRequest, QuoteRefused> =>
  Result.gen(function*() {
    const terms = pricingTerms(market)
    const priced = yield* request.tradeType === "EXACT_INPUT"
      ? priceExactInput(terms, request.amount)
      : priceExactOutput(terms, request.amount)
    if (isSwapImpactTooHigh(impactParts(priced, market.origin, market.destination))) {
      return yield* Result.fail(new QuoteRefused({ code: "SWAP_IMPACT_TOO_HIGH", message: "the swap would lose more than 10 % of the input" }))
    }
    const slippage = slippageFor(request.tradeType, request.slippage, market.origin.currency, market.destination.currency)
    return { priced, slippage, minimumOut: minimumOut(priced.amountOut, slippage) }
  })
