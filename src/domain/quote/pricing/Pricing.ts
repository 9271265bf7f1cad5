/**
 * What a transfer delivers for an input, and the smallest input that delivers an output: exact integers (PRICE-12,
 * PRICE-13, PRICE-11).
 *
 * out = ⌊(in − the fees that the user pays) at the quote's rate⌋, rounded to what the chain can move: sponsored fees are
 * not deducted. The two directions
 * are a Galois connection, also with a sponsor's cap. At a deposit address the cap is a cliff, and only "least" holds.
 */
import * as Result from "effect/Result"
import { bpsCeil, WHOLE_BPS } from "../../money/Bps.ts"
import type { Bps } from "../../money/Bps.ts"
import { marketRate, payableCeil, payableFloor } from "../../money/Currency.ts"
import { add, one, shareFloor, subtract, wholeCeil } from "../../money/Fraction.ts"
import type { Fraction } from "../../money/Fraction.ts"
import { maxOf } from "../../money/Rounding.ts"
import { unitsWithinCap } from "../../sponsorship/Cap.ts"
import type { Component } from "../../sponsorship/Component.ts"
import type { Split } from "../../sponsorship/Split.ts"
import { splitRepriced } from "../../sponsorship/SplitActual.ts"
import { splitSponsorship } from "../../sponsorship/SplitSponsorship.ts"
import { feesAt, feeSchedule, leavesSomething, totalFees } from "./Fees.ts"
import type { Fees, FeeSchedule, PricingTerms, SponsorshipTerms } from "./Fees.ts"
import { unitRate } from "./FixedRate.ts"
import { leastInput } from "./LeastInput.ts"
import { QuoteRefused } from "../QuoteError.ts"

const MAX_UINT256 = 2n ** 256n - 1n

/** A price: what goes in, who pays which fee, what comes out. */
export interface Priced {
  readonly amountIn: bigint
  readonly fees: Fees
  /** Who pays them; undefined when no sponsor was asked. */
  readonly split: Split | undefined
  /** The fees deducted from the input, smallest units of the origin currency. */
  readonly userPays: bigint
  /** Smallest units of the destination currency. */
  readonly amountOut: bigint
}

/** One request's pricing, with everything precomputed that does not depend on the amount. */
interface Pricing {
  readonly terms: PricingTerms
  readonly schedule: FeeSchedule
  /** Destination units for an origin unit: the market's, or the fixed rate. */
  readonly rate: Fraction
}

const refused = (message: string) => Result.fail(new QuoteRefused({ code: "AMOUNT_TOO_LOW", field: "amount", message }))

const beyondUint256 = (side: string) =>
  Result.fail(
    new QuoteRefused({
      code: "INVALID_REQUEST",
      field: "amount",
      message: `amount: the ${side} would be beyond 2^256 − 1`
    })
  )

const prepare = (terms: PricingTerms): Result.Result<Pricing, QuoteRefused> => {
  const { destination, fixedRate, origin } = terms
  const schedule = feeSchedule(terms)
  if (!leavesSomething(schedule)) return refused("the fees that grow with the amount take all of it")
  const rate = fixedRate === undefined
    ? marketRate(origin, destination)
    : unitRate(fixedRate, origin.currency, destination.currency)
  return Result.succeed({ terms, schedule, rate })
}

const splitOf = ({ origin }: PricingTerms, { above, quoted, ...sponsorship }: SponsorshipTerms, fees: Fees): Split =>
  quoted === undefined
    ? splitSponsorship({ feeCurrency: origin, totals: fees, originGas: fees.originGas, ...sponsorship })
    : splitRepriced(quoted, { totals: fees, originGas: fees.originGas }, above)

const priceAt = ({ rate, schedule, terms }: Pricing, amountIn: bigint): Priced => {
  const fees = feesAt(schedule, amountIn)
  const split = terms.sponsorship === undefined ? undefined : splitOf(terms, terms.sponsorship, fees)
  const userPays = split === undefined ? totalFees(fees) : split.userPaysTotal
  const net = amountIn - userPays
  return {
    amountIn,
    fees,
    split,
    userPays,
    amountOut: net > 0n ? payableFloor(shareFloor(net, rate), terms.destination.currency) : 0n
  }
}

/** out = ⌊convert(in − user-paid fees)⌋. AMOUNT_TOO_LOW when nothing is left. */
export const priceExactInput = (terms: PricingTerms, amountIn: bigint): Result.Result<Priced, QuoteRefused> =>
  Result.flatMap(prepare(terms), (pricing) => {
    const priced = priceAt(pricing, amountIn)
    if (priced.amountOut > MAX_UINT256) return beyondUint256("output")
    return priced.amountOut > 0n
      ? Result.succeed(priced)
      : refused(
        `the amount ${amountIn} does not cover the fees ${priced.userPays} (smallest units of the origin currency): send more`
      )
  })

/** The components that a sponsor pays for the user until its cap is reached. */
const relieved = ({ schedule, terms: { sponsorship } }: Pricing): ReadonlyArray<Component> => {
  if (sponsorship === undefined || sponsorship.selection._tag === "Off" || sponsorship.sponsor._tag === "Nobody") {
    return []
  }
  const { _tag, components } = sponsorship.selection
  return _tag === "Defaulted" && schedule.rent > 0n && !components.includes("rent") ? [] : components
}

/** The input that leaves `net` after `flat` and a share; a guess, which may differ by the roundings. */
const inputLeaving = (net: bigint, flat: bigint, share: Fraction): bigint =>
  wholeCeil(maxOf(0n, net + flat), subtract(one, share))

/**
 * Close to the smallest input that leaves `net`: with all selected components sponsored, or with all fees less the cap,
 * whichever is more.
 */
const guessInput = (pricing: Pricing, net: bigint): bigint => {
  const { schedule, terms } = pricing
  const { allShares, appBps, execution, originGas, rebalancing, rent, serviceAndAppBps, swapShare } = schedule
  const sponsored = relieved(pricing)
  const pays = (component: Component): boolean => !sponsored.includes(component)
  const flat = (pays("execution") ? execution : originGas) + (pays("swap") ? rebalancing : 0n) +
    (pays("rent") ? rent : 0n)
  const bps = (pays("app") ? appBps : 0n) + (pays("service") ? serviceAndAppBps - appBps : 0n)
  const share = { numerator: bps, denominator: WHOLE_BPS }
  const free = inputLeaving(net, flat, pays("swap") || swapShare.numerator < 0n ? add(share, swapShare) : share)
  const sponsor = terms.sponsorship?.sponsor
  if (sponsored.length === 0 || sponsor === undefined || sponsor._tag === "Nobody" || sponsor.cap === undefined) {
    return free
  }
  return maxOf(
    free,
    inputLeaving(net, execution + rebalancing + rent - unitsWithinCap(sponsor.cap, terms.origin), allShares)
  )
}

const leastFor = (pricing: Pricing, amountOut: bigint): Priced | undefined => {
  const guess = guessInput(pricing, wholeCeil(amountOut, pricing.rate))
  const least = leastInput((input) => priceAt(pricing, input).amountOut >= amountOut, guess, MAX_UINT256)
  return least === undefined ? undefined : priceAt(pricing, payableCeil(least, pricing.terms.origin.currency))
}

const withSponsorship = (pricing: Pricing, sponsorship: SponsorshipTerms | undefined): Pricing => ({
  ...pricing,
  terms: { ...pricing.terms, sponsorship }
})

/**
 * At a deposit address the user pays all fees once they exceed the cap: below that cliff everything selected is
 * sponsored, above it nothing is, and an input below it is always smaller. (When a source gives more than the market
 * and rebalancing costs at the same time, fees may fall as the input rises. The result is then sufficient, but not
 * necessarily the smallest.)
 */
const leastAtCliff = (pricing: Pricing, sponsorship: SponsorshipTerms, amountOut: bigint): Priced | undefined => {
  const below = leastFor(
    withSponsorship(pricing, { ...sponsorship, sponsor: { _tag: "Key", cap: undefined } }),
    amountOut
  )
  const input = below === undefined || priceAt(pricing, below.amountIn).split?.outcome === "above-cap"
    ? leastFor(withSponsorship(pricing, undefined), amountOut)?.amountIn
    : below.amountIn
  return input === undefined ? undefined : priceAt(pricing, input)
}

const isCliff = (sponsorship: SponsorshipTerms | undefined): sponsorship is SponsorshipTerms =>
  sponsorship !== undefined && sponsorship.kind === "deposit-address" && sponsorship.selection._tag !== "Off" &&
  sponsorship.sponsor._tag === "Key"

/** The smallest input for which `priceExactInput` delivers at least `amountOut`; any surplus is not promised. */
export const priceExactOutput = (terms: PricingTerms, amountOut: bigint): Result.Result<Priced, QuoteRefused> =>
  Result.flatMap(prepare(terms), (pricing) => {
    if (amountOut <= 0n) return refused("the amount must be positive")
    const { sponsorship } = terms
    const priced = isCliff(sponsorship) ? leastAtCliff(pricing, sponsorship, amountOut) : leastFor(pricing, amountOut)
    return priced === undefined ? beyondUint256("input") : Result.succeed({ ...priced, amountOut })
  })

/** The minimum that a user accepts: ⌈out × (10000 − bps) / 10000⌉. */
export const minimumOut = (amountOut: bigint, slippage: Bps): bigint => bpsCeil(amountOut, WHOLE_BPS - slippage)
