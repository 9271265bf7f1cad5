/** From a request and the facts of the market to an executable quote (REQUEST-1, PRICE-12, PRICE-13). */
export {
  type AppFee,
  type AppFeeShare,
  DEFAULT_MAX_APP_FEE_BPS,
  shareAppFees,
  totalAppBps
} from "../domain/quote/pricing/AppFees.ts"
export type { DetailParts } from "../domain/quote/assemble/AssembleDetails.ts"
export { assembleQuote, type QuoteParts } from "../domain/quote/assemble/AssembleQuote.ts"
export { automaticSlippageBps, type PairClass, pairClass, serviceBps } from "../domain/quote/pricing/AssetClass.ts"
export { buildOrder, type OrderFacts } from "../domain/quote/assemble/BuildOrder.ts"
export { makeRequestDecoder, refuseUnserved } from "../domain/quote/request/DecodeRequest.ts"
export {
  type Fees,
  FLAT_EXECUTION_USD,
  type OriginGas,
  type PricingTerms,
  relayerFee,
  type SponsorshipTerms,
  totalFees
} from "../domain/quote/pricing/Fees.ts"
export { type FixedRate, parseFixedRate } from "../domain/quote/pricing/FixedRate.ts"
export { type ImpactParts, impactParts, swapImpactOf, totalImpactOf } from "../domain/quote/pricing/Impact.ts"
export {
  DEFAULT_FIXED_RATE_MAX_BPS,
  DEFAULT_SPREAD_BPS,
  type Market,
  type PricedRequest,
  priceRequest,
  type PriceWish,
  pricingTerms
} from "../domain/quote/pricing/PriceRequest.ts"
export { minimumOut, type Priced, priceExactInput, priceExactOutput } from "../domain/quote/pricing/Pricing.ts"
export { type QuoteErrorCode, quoteErrorCodes, QuoteRefused } from "../domain/quote/QuoteError.ts"
export {
  findUnserved,
  QuoteRequest,
  quoteRequestOf,
  type RequestParameter,
  requestParameters
} from "../domain/quote/request/QuoteRequest.ts"
export { defaultLimits, type RequestLimits } from "../domain/quote/request/RequestLimits.ts"
export type { RequestedSponsorship, ResolvedOptions } from "../domain/quote/request/ResolvedRequest.ts"
export { type ResolvedRequest, resolveRequest } from "../domain/quote/request/ResolveRequest.ts"
export type { SourceQuote, SwapTerms } from "../domain/quote/pricing/SwapCost.ts"
export { confirmationsFor, isDeepEnough, timeEstimate } from "../domain/quote/assemble/TimeEstimate.ts"
export { TradeType } from "../domain/quote/request/TradeType.ts"
export type { Check as QuoteCheck } from "../domain/quote/verify/Check.ts"
export { check, checkEqual, unchecked } from "../domain/quote/verify/Check.ts"
export type { DepositExpectation, StepVerifier } from "../domain/quote/verify/StepVerifier.ts"
export { type QuoteExpectation, type Verification, verifyQuote } from "../domain/quote/verify/VerifyQuote.ts"
