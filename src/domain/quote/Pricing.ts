/**
 * What a transfer costs and delivers: exact integers in the smallest unit of the origin currency (spec/3 §4).
 *
 * All shares of the input are rounded by one common ceiling, so that more input never delivers less; that is what makes
 * EXACT_INPUT and EXACT_OUTPUT a Galois connection. Not for who pays a component: that is `sponsorship/`.
 */
import * as Result from "effect/Result"
import { bpsCeil, bpsFloor, WHOLE_BPS } from "../money/Bps.ts"
import type { Bps } from "../money/Bps.ts"
import { convertCeil, convertFloor, unitsForUsdCeil } from "../money/Currency.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { divCeil } from "../money/Rounding.ts"
import { usdFromMicros } from "../money/Usd.ts"
import { QuoteRefused } from "./QuoteError.ts"

/** The flat part of the execution component: two cents (spec/3 §4). */
export const FLAT_EXECUTION_USD = usdFromMicros(20_000n)

export interface PricingTerms {
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  /** What the fill's gas is paid in, and how much of it the fill costs in smallest units. */
  readonly destinationNative: PricedCurrency
  readonly fillGas: bigint
  readonly serviceBps: Bps
  /** What unlike assets from inventory cost on top of the market rate. */
  readonly spreadBps: Bps
  /** Sum of the app fees of the request. */
  readonly appBps: Bps
}

/** Fees in smallest units of the origin currency. relayer = execution + swap + service + rent = relayerGas + the rest. */
export interface Fees {
  readonly relayerGas: bigint
  readonly execution: bigint
  readonly swap: bigint
  readonly service: bigint
  readonly app: bigint
  readonly rent: bigint
}

export const relayerFee = (fees: Fees): bigint => fees.execution + fees.swap + fees.service + fees.rent

export const totalFees = (fees: Fees): bigint => relayerFee(fees) + fees.app

export interface Priced {
  readonly amountIn: bigint
  readonly fees: Fees
  /** Smallest units of the destination currency. */
  readonly amountOut: bigint
}

const shareBps = (terms: PricingTerms): bigint => terms.serviceBps + terms.appBps + terms.spreadBps

/** The fees of an input. The shares telescope: service + app, then the spread, are differences of one ceiling each. */
export const feesOf = (terms: PricingTerms, amountIn: bigint): Fees => {
  const relayerGas = convertCeil(terms.fillGas, terms.destinationNative, terms.origin)
  const app = bpsFloor(amountIn, terms.appBps)
  const serviceAndApp = divCeil(amountIn * (terms.serviceBps + terms.appBps), WHOLE_BPS)
  const allShares = divCeil(amountIn * shareBps(terms), WHOLE_BPS)
  return {
    relayerGas,
    execution: relayerGas + unitsForUsdCeil(FLAT_EXECUTION_USD, terms.origin),
    swap: allShares - serviceAndApp,
    service: serviceAndApp - app,
    app,
    rent: 0n
  }
}

const tooLow = (amountIn: bigint, fees: bigint) =>
  new QuoteRefused({
    code: "AMOUNT_TOO_LOW",
    field: "amount",
    message: `the amount ${amountIn} does not cover the fees ${fees} (smallest units of the origin currency): send more`
  })

/** out = ⌊convert(in − fees)⌋; nothing left is AMOUNT_TOO_LOW. */
export const priceExactInput = (terms: PricingTerms, amountIn: bigint): Result.Result<Priced, QuoteRefused> => {
  const fees = feesOf(terms, amountIn)
  const net = amountIn - totalFees(fees)
  const amountOut = net > 0n ? convertFloor(net, terms.origin, terms.destination) : 0n
  return amountOut > 0n
    ? Result.succeed({ amountIn, fees, amountOut })
    : Result.fail(tooLow(amountIn, totalFees(fees)))
}

/** The least input for which `priceExactInput` delivers at least `amountOut`. */
export const priceExactOutput = (terms: PricingTerms, amountOut: bigint): Result.Result<Priced, QuoteRefused> => {
  if (amountOut <= 0n) return Result.fail(new QuoteRefused({ code: "AMOUNT_TOO_LOW", field: "amount", message: "the amount must be positive" }))
  const constant = feesOf(terms, 0n).execution
  const net = convertCeil(amountOut, terms.destination, terms.origin)
  const kept = WHOLE_BPS - shareBps(terms)
  if (kept <= 0n) return Result.fail(tooLow(0n, constant))
  const amountIn = divCeil((net + constant) * WHOLE_BPS, kept)
  return Result.map(priceExactInput(terms, amountIn), (priced) => ({ ...priced, amountOut }))
}

/** The least a user accepts: ⌈out × (10000 − bps) / 10000⌉. */
export const minimumOut = (amountOut: bigint, slippage: Bps): bigint => bpsCeil(amountOut, WHOLE_BPS - slippage)
