/** Prices a request from market facts: the three trade types, the automatic tolerance, the refusals (PRICE-1). */
import * as Result from "effect/Result"
import { Bps, zeroBps } from "../../money/Bps.ts"
import type { Currency } from "../../money/Currency.ts"
import { automaticSlippageBps, pairClass, serviceBps } from "./AssetClass.ts"
import type { PricingTerms } from "./Fees.ts"
import { checkFixedRate } from "./FixedRate.ts"
import { isSwapImpactTooHigh } from "./Impact.ts"
import { minimumOut, priceExactInput, priceExactOutput } from "./Pricing.ts"
import type { Priced } from "./Pricing.ts"
import { QuoteRefused } from "../QuoteError.ts"
import { isFixedRateCostly } from "./SwapCost.ts"
import type { TradeType } from "../request/TradeType.ts"

/** A price, with its slippage tolerance and the minimum that it delivers. */
export interface PricedRequest {
  readonly priced: Priced
  readonly slippage: Bps
  readonly minimumOut: bigint
}

/** The facts and wishes that pricing uses. An omitted one is zero, the market rate, or the default of the pair. */
export type Market = Omit<PricingTerms, "serviceBps" | "spreadBps" | "appBps"> & {
  /** The cost above the market of exchanging unlike assets from inventory (RISK_SPREAD_BPS by pair). */
  readonly spreadBps?: Bps | undefined
  readonly appBps?: Bps | undefined
  /** The user's currency when it is swapped before the deposit: the service's share follows the user's own pair. */
  readonly paid?: Currency | undefined
  /** The recipient's currency when the fill swaps into it. */
  readonly received?: Currency | undefined
  /**
   * The smallest amount that may be delivered: the destination carries out no smaller payment, or keeps no account for a
   * new recipient with less. Smallest units.
   */
  readonly leastOut?: bigint | undefined
}

/** The fields of a request that its price depends on. */
export interface PriceWish {
  /** Smallest units: of the origin currency for EXACT_INPUT, else of the destination's. */
  readonly amount: bigint
  readonly tradeType: TradeType
  readonly slippage: Bps | undefined
  readonly overridePriceImpact?: boolean
}

/** Default cost above the market of exchanging unlike assets from inventory (RISK_SPREAD_BPS). */
export const DEFAULT_SPREAD_BPS = Bps(8n)

/** How far a fixed rate may be from the market, default (FIXED_RATE_MAX_BPS). */
export const DEFAULT_FIXED_RATE_MAX_BPS = Bps(100n)

/** The terms of a market, with the defaults of the pair. */
export const pricingTerms = (market: Market): PricingTerms => {
  const pair = pairClass(market.origin.currency, market.destination.currency)
  return {
    ...market,
    serviceBps: serviceBps(
      pairClass(market.paid ?? market.origin.currency, market.received ?? market.destination.currency)
    ),
    spreadBps: pair === "same" ? zeroBps : market.spreadBps ?? DEFAULT_SPREAD_BPS,
    appBps: market.appBps ?? zeroBps
  }
}

const slippageFor = (tradeType: TradeType, asked: Bps | undefined, from: Currency, to: Currency): Bps =>
  tradeType === "EXACT_OUTPUT" ? zeroBps : asked ?? automaticSlippageBps(pairClass(from, to))

/**
 * A fixed rate at a loss to the solver is quoted only when the sponsor pays the whole swap component (REQUEST-26,
 * fixedRate).
 */
const checkBorne = (terms: PricingTerms, { split }: Priced): Result.Result<void, QuoteRefused> => {
  const swap = split?.components.swap
  return !isFixedRateCostly(terms) || (swap !== undefined && swap.sponsored === swap.total)
    ? Result.void
    : Result.fail(
      new QuoteRefused({
        code: "INVALID_REQUEST",
        field: "fixedRate",
        message:
          "fixedRate: what this rate costs against the market must be sponsored wholly; raise maxSubsidizationAmount, or let sponsoredFeeComponents hold swap"
      })
    )
}

const checkKept = (
  { destination: { currency }, leastOut = 0n }: Market,
  { amountOut }: Priced
): Result.Result<void, QuoteRefused> =>
  amountOut >= leastOut
    ? Result.void
    : Result.fail(
      new QuoteRefused({
        code: "AMOUNT_TOO_LOW",
        field: "amount",
        message:
          `the recipient would get ${amountOut}, and the chain takes no payment to it below ${leastOut} (smallest units of ${currency.symbol}): send more`
      })
    )

/** The refusal of PRICE-17. */
export const swapImpactTooHigh = new QuoteRefused({
  code: "SWAP_IMPACT_TOO_HIGH",
  message: "the swap would lose more than 10 % of the input; overridePriceImpact accepts that"
})

/** The price of a request, or AMOUNT_TOO_LOW, SWAP_IMPACT_TOO_HIGH, INVALID_REQUEST (fixedRate, or beyond uint256). */
export const priceRequest = (
  market: Market,
  request: PriceWish,
  /** "held": the rate of an existing order, which holds however the market has moved, as long as its cost is paid. */
  fixedRateMaxBps: Bps | "held" = DEFAULT_FIXED_RATE_MAX_BPS
): Result.Result<PricedRequest, QuoteRefused> =>
  Result.gen(function*() {
    const terms = pricingTerms(market)
    if (terms.fixedRate !== undefined && fixedRateMaxBps !== "held") {
      yield* checkFixedRate(terms.fixedRate, terms.origin, terms.destination, fixedRateMaxBps)
    }
    const priced = yield* request.tradeType === "EXACT_INPUT"
      ? priceExactInput(terms, request.amount)
      : priceExactOutput(terms, request.amount)
    yield* checkKept(market, priced)
    yield* checkBorne(terms, priced)
    if (request.overridePriceImpact !== true && isSwapImpactTooHigh(priced)) {
      return yield* Result.fail(swapImpactTooHigh)
    }
    const slippage = slippageFor(request.tradeType, request.slippage, terms.origin.currency, terms.destination.currency)
    return { priced, slippage, minimumOut: minimumOut(priced.amountOut, slippage) }
  })
