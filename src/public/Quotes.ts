/** From a request and the facts of the market to an executable quote (REQUEST-1, PRICE-12, PRICE-13). */
export { type AppFee, type AppFeeShare, DEFAULT_MAX_APP_FEE_BPS, shareAppFees, totalAppBps } from "../domain/quote/AppFees.ts"
export type { DetailParts } from "../domain/quote/AssembleDetails.ts"
export { assembleQuote, type QuoteParts } from "../domain/quote/AssembleQuote.ts"
export { automaticSlippageBps, type PairClass, pairClass, serviceBps } from "../domain/quote/AssetClass.ts"
export { buildOrder, type OrderFacts } from "../domain/quote/BuildOrder.ts"
export { makeRequestDecoder, refuseUnserved } from "../domain/quote/DecodeRequest.ts"
export { type Fees, FLAT_EXECUTION_USD, type OriginGas, type PricingTerms, relayerFee, type SponsorshipTerms, totalFees } from "../domain/quote/Fees.ts"
export { type FixedRate, parseFixedRate } from "../domain/quote/FixedRate.ts"
export { type ImpactParts, impactParts, swapImpactOf, totalImpactOf } from "../domain/quote/Impact.ts"
export {
  DEFAULT_FIXED_RATE_MAX_BPS,
  DEFAULT_SPREAD_BPS,
  type Market,
  type PricedRequest,
  priceRequest,
  type PriceWish,
  pricingTerms
} from "../domain/quote/PriceRequest.ts"
export { minimumOut, type Priced, priceExactInput, priceExactOutput } from "../domain/quote/Pricing.ts"
export { type QuoteErrorCode, quoteErrorCodes, QuoteRefused } from "../domain/quote/QuoteError.ts"
export { findUnserved, QuoteRequest, quoteRequestOf, type RequestParameter, requestParameters } from "../domain/quote/QuoteRequest.ts"
export { defaultLimits, type RequestLimits } from "../domain/quote/RequestLimits.ts"
export type { RequestedSponsorship, ResolvedOptions } from "../domain/quote/ResolveOptions.ts"
export { type ResolvedRequest, resolveRequest } from "../domain/quote/ResolveRequest.ts"
export type { SourceQuote, SwapTerms } from "../domain/quote/SwapCost.ts"
export { confirmationsFor, isDeepEnough, timeEstimate } from "../domain/quote/TimeEstimate.ts"
export { TradeType } from "../domain/quote/TradeType.ts"
export type { Check as QuoteCheck } from "../domain/quote/verify/Check.ts"
export { type QuoteExpectation, type Verification, verifyQuote } from "../domain/quote/verify/VerifyQuote.ts"
