/**
 * The five components of a transfer's cost, in smallest units of the origin currency (PRICE-8, PRICE-2).
 *
 * Guarantee: each is its exact value rounded up by less than one unit (`app` is rounded down, `swap` as documented
 * below). Whichever of them a user pays, one more unit of input never leaves less: d(in − paid) ≥ 0 for every selection
 * of a sponsor. That makes EXACT_INPUT and EXACT_OUTPUT a Galois connection. Not for who pays: that is `sponsorship/`.
 */
import { bpsCeil, bpsFloor, WHOLE_BPS } from "../../money/Bps.ts"
import type { Bps } from "../../money/Bps.ts"
import { convertCeil, unitsForUsdCeil } from "../../money/Currency.ts"
import type { PricedCurrency } from "../../money/Currency.ts"
import { add, compare, one, shareCeil, zero } from "../../money/Fraction.ts"
import type { Fraction } from "../../money/Fraction.ts"
import { maxOf } from "../../money/Rounding.ts"
import { usdFromMicros, zeroUsd } from "../../money/Usd.ts"
import type { Usd } from "../../money/Usd.ts"
import type { SplitInput } from "../../sponsorship/Split.ts"
import type { Above } from "../../sponsorship/SplitActual.ts"
import { swapShare } from "./SwapCost.ts"
import type { SwapTerms } from "./SwapCost.ts"

/** The flat part of the execution component: two cents (PRICE-3). */
export const FLAT_EXECUTION_USD = usdFromMicros(20_000n)

/** Gas of the origin that the solver pays, smallest units of `native`. */
export interface OriginGas {
  readonly native: PricedCurrency
  readonly units: bigint
}

/** Who may pay which component, as `splitSponsorship` reads it. */
export type SponsorshipTerms = Pick<SplitInput, "selection" | "sponsor" | "kind"> & {
  /** When a quote is repriced: the input of its original split, whose sponsored parts are upper bounds. */
  readonly quoted?: SplitInput
  readonly above?: Above
}

/** The facts and shares that a price is made of. */
export interface PricingTerms extends SwapTerms {
  /** The currency of the fill's gas; the gas itself is in its smallest units. */
  readonly destinationNative: PricedCurrency
  readonly fillGas: bigint
  /** For a gasless request: never sponsored. */
  readonly originGas?: OriginGas | undefined
  /** For sweeping a deposit address; sponsored like the fill's gas. */
  readonly sweepGas?: OriginGas | undefined
  /** Value of the gas topup that the fill carries. */
  readonly topup?: Usd | undefined
  /** Creation of the recipient's token account, smallest units of the destination's native currency. */
  readonly rent?: bigint | undefined
  /** Moving inventory back, smallest units of the origin currency, not negative; part of `swap`. */
  readonly rebalancing?: bigint | undefined
  readonly serviceBps: Bps
  /** Sum of the app fees of the request. */
  readonly appBps: Bps
  /** Absent when the user pays everything. */
  readonly sponsorship?: SponsorshipTerms | undefined
}

/**
 * relayer = execution + swap + service + rent = relayerGas + the rest. originGas and fillGas are parts of both gas and
 * execution; the remaining gas is the sweep's.
 */
export interface Fees {
  readonly relayerGas: bigint
  readonly originGas: bigint
  readonly fillGas: bigint
  readonly execution: bigint
  readonly swap: bigint
  readonly service: bigint
  readonly app: bigint
  readonly rent: bigint
}

/** All fees except app fees, smallest units of the origin currency. */
export const relayerFee = (fees: Fees): bigint => fees.execution + fees.swap + fees.service + fees.rent

/** All fees, sponsored or not, smallest units of the origin currency. */
export const totalFees = (fees: Fees): bigint => relayerFee(fees) + fees.app

/** The fees that do not depend on the input, and the exact shares of those that do: computed once per request. */
export interface FeeSchedule {
  readonly relayerGas: bigint
  readonly originGas: bigint
  readonly fillGas: bigint
  readonly execution: bigint
  readonly rent: bigint
  /** Includes a source's cost where that is known to the unit. Negative when the source gives more than the market. */
  readonly rebalancing: bigint
  readonly appBps: Bps
  readonly serviceAndAppBps: bigint
  readonly swapShare: Fraction
  /** service + app + swap. */
  readonly allShares: Fraction
  /**
   * True when a sponsor pays the service but neither swap nor app: then the roundings of swap and app must not combine.
   */
  readonly swapApart: boolean
}

const isSwapApart = ({ sponsorship }: PricingTerms): boolean => {
  if (sponsorship === undefined || sponsorship.selection._tag === "Off") return false
  const { components } = sponsorship.selection
  return components.includes("service") && !components.includes("swap") && !components.includes("app")
}

/** The fees as a function of the input, smallest units of the origin currency. */
export const feeSchedule = (terms: PricingTerms): FeeSchedule => {
  const { destinationNative, origin, rebalancing = 0n, rent = 0n, topup = zeroUsd } = terms
  const serviceAndAppBps = terms.serviceBps + terms.appBps
  const swap = swapShare(terms)
  const onOrigin = (gas: OriginGas | undefined) => gas === undefined ? 0n : convertCeil(gas.units, gas.native, origin)
  const originGas = onOrigin(terms.originGas)
  const fillGas = convertCeil(terms.fillGas, destinationNative, origin)
  const relayerGas = fillGas + originGas + onOrigin(terms.sweepGas)
  return {
    relayerGas,
    originGas,
    fillGas,
    execution: relayerGas + unitsForUsdCeil(FLAT_EXECUTION_USD, origin) + unitsForUsdCeil(topup, origin),
    rent: convertCeil(rent, destinationNative, origin),
    rebalancing: maxOf(0n, rebalancing) + (terms.source?.cost ?? 0n),
    appBps: terms.appBps,
    serviceAndAppBps,
    swapShare: swap,
    allShares: add({ numerator: serviceAndAppBps, denominator: WHOLE_BPS }, swap),
    swapApart: isSwapApart(terms)
  }
}

/** True while more input eventually leaves more: all shares together are below 100 %. */
export const leavesSomething = ({ allShares, appBps, swapApart }: FeeSchedule): boolean =>
  compare(swapApart ? add(allShares, { numerator: appBps, denominator: WHOLE_BPS }) : allShares, one) < 0n

/**
 * The proportional part of `swap`, rounded up. A cost telescopes: service + app + swap is one ceiling of the sum. A
 * gain is rounded on its own. When `swapApart`, it is taken from what service and app leave over (app twice, plus one
 * unit), which cannot grow in a step in which they do.
 */
const proportionalSwap = (schedule: FeeSchedule, amountIn: bigint, serviceAndApp: bigint, app: bigint): bigint => {
  const { allShares, appBps, serviceAndAppBps, swapApart, swapShare } = schedule
  if (compare(swapShare, zero) <= 0n) return shareCeil(amountIn, swapShare)
  if (!swapApart) return shareCeil(amountIn, allShares) - serviceAndApp
  return shareCeil(amountIn - serviceAndApp - app + 1n, {
    numerator: swapShare.numerator * WHOLE_BPS,
    denominator: swapShare.denominator * (WHOLE_BPS - serviceAndAppBps - appBps)
  })
}

/** The fees of an input. service + app = ⌈in × their bps⌉, app = ⌊in × its bps⌋ (REQUEST-28, PRICE-8). */
export const feesAt = (schedule: FeeSchedule, amountIn: bigint): Fees => {
  const app = bpsFloor(amountIn, schedule.appBps)
  const serviceAndApp = bpsCeil(amountIn, schedule.serviceAndAppBps)
  return {
    relayerGas: schedule.relayerGas,
    originGas: schedule.originGas,
    fillGas: schedule.fillGas,
    execution: schedule.execution,
    swap: proportionalSwap(schedule, amountIn, serviceAndApp, app) + schedule.rebalancing,
    service: serviceAndApp - app,
    app,
    rent: schedule.rent
  }
}
