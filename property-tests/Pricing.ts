/**
 * The laws of pricing (PRICE-12, PRICE-13), for any implementation: `pricingLaws({ exactInput, exactOutput })`.
 *
 * Roundings are compared with exact fractions, so the law's own rounding cannot hide an implementation's. A refusal
 * counts as a price of zero (AMOUNT_TOO_LOW) or as out of the law's range (INVALID_REQUEST, beyond uint256). Impacts
 * and quotes are not covered.
 */
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { Bps } from "../src/domain/money/Bps.ts"
import { Usd, UsdPrice } from "../src/domain/money/Usd.ts"
import type { PricingTerms } from "../src/domain/quote/pricing/Fees.ts"
import type { Priced } from "../src/domain/quote/pricing/Pricing.ts"
import type { QuoteRefused } from "../src/domain/quote/QuoteError.ts"
import { type Component, components, sumOver } from "../src/domain/sponsorship/Component.ts"
import { MicroUsdc } from "../src/domain/ledger/MicroUsdc.ts"
import { type Law, law, must } from "./Law.ts"
import {
  anySize,
  cliffSponsorship,
  coarseTerms,
  directSponsorship,
  gains,
  hasOneEdge,
  MAX_UINT256,
  termsWith
} from "./PricingInputs.ts"

/** The pricing under test, in both directions. */
export interface PricingUnderTest {
  /** The price of an input. AMOUNT_TOO_LOW when it delivers nothing. */
  readonly exactInput: (terms: PricingTerms, amountIn: bigint) => Result.Result<Priced, QuoteRefused>
  /** The least input for an output. */
  readonly exactOutput: (terms: PricingTerms, amountOut: bigint) => Result.Result<Priced, QuoteRefused>
}

const anyTerms = termsWith(fc.oneof(fc.constant(undefined), directSponsorship))
const userPaidTerms = termsWith(fc.constant(undefined))
const cliffTerms = termsWith(cliffSponsorship).filter(hasOneEdge)
const amounts = anySize(MAX_UINT256)

const isBeyond = (result: Result.Result<Priced, QuoteRefused>): boolean =>
  Result.isFailure(result) && result.failure.code === "INVALID_REQUEST"

const shareOf = ({ fees, split }: Priced, component: Component) =>
  split?.components[component] ?? { total: fees[component], sponsored: 0n, userPays: fees[component] }

/** The laws of pricing (PRICE-12, PRICE-13). */
export const pricingLaws = ({ exactInput, exactOutput }: PricingUnderTest): ReadonlyArray<Law> => {
  /** The output for an input. Undefined beyond uint256. */
  const out = (terms: PricingTerms, amountIn: bigint): bigint | undefined => {
    const result = exactInput(terms, amountIn)
    if (isBeyond(result)) return undefined
    return Result.isSuccess(result) ? result.success.amountOut : 0n
  }

  const onTerms = (
    name: string,
    terms: fc.Arbitrary<PricingTerms>,
    check: (terms: PricingTerms, amount: bigint, other: bigint) => void
  ): Law => law(`pricing: ${name}`, fc.property(terms, amounts, amounts, check))

  const onPrices = (
    name: string,
    terms: fc.Arbitrary<PricingTerms>,
    check: (priced: Priced, terms: PricingTerms) => void
  ): Law =>
    onTerms(name, terms, (terms, amount) => {
      const priced = exactInput(terms, amount)
      if (Result.isSuccess(priced)) check(priced.success, terms)
    })

  /** More of `what` never delivers more (or never less). Compared at one input. */
  const monotone = (
    what: string,
    terms: fc.Arbitrary<PricingTerms>,
    direction: "more" | "less",
    change: (terms: PricingTerms, by: bigint) => PricingTerms
  ): Law =>
    onTerms(`more ${what} never delivers ${direction === "more" ? "less" : "more"}`, terms, (terms, amount, by) => {
      const before = out(terms, amount)
      const after = out(change(terms, by), amount)
      if (before === undefined || after === undefined) return
      must(direction === "more" ? after >= before : after <= before, `${before} became ${after}`)
    })

  /** The same terms with a cap close to the value of an amount's fees, where the split changes. */
  const withEdgeAt = (terms: PricingTerms, amountIn: bigint, off: bigint): PricingTerms => {
    const { origin, sponsorship } = terms
    const alone = exactInput({ ...terms, sponsorship: undefined }, amountIn)
    if (sponsorship === undefined || Result.isFailure(alone)) return terms
    const { execution, originGas, rent, service, app, swap } = alone.success.fees
    const worth = (execution - originGas + service + app + (swap > 0n ? swap : 0n) + rent) * origin.price /
      10n ** BigInt(origin.currency.decimals + 30)
    return {
      ...terms,
      sponsorship: { ...sponsorship, sponsor: { _tag: "Key", cap: MicroUsdc(worth + off < 0n ? 0n : worth + off) } }
    }
  }

  /** Checks that an input is the least for an output: smaller inputs deliver less. */
  const isLeast = (terms: PricingTerms, wanted: bigint, other: bigint): void => {
    const needed = exactOutput(terms, wanted)
    if (Result.isFailure(needed)) return
    const least = needed.success.amountIn
    must(needed.success.amountOut === wanted, "another output than asked for")
    must((out(terms, least) ?? wanted) >= wanted, `${least} does not deliver ${wanted}`)
    for (const less of [least - 1n, other % (least + 1n) - 1n]) {
      if (less < 0n) continue
      const delivered = out(terms, less)
      must(delivered !== undefined && delivered < wanted, `${less} delivers ${wanted} already`)
    }
  }

  const isConnected = (terms: PricingTerms, amountIn: bigint, some: bigint): void => {
    const delivered = amountIn > MAX_UINT256 ? undefined : out(terms, amountIn)
    if (delivered === undefined) return
    for (const wanted of [some, delivered, delivered + 1n, delivered - delivered / 1_000n, delivered / 2n]) {
      if (wanted === 0n) continue
      const needed = exactOutput(terms, wanted)
      const within = Result.isSuccess(needed) && needed.success.amountIn <= amountIn
      must(within === (wanted <= delivered), `${wanted} wanted, ${delivered} delivered for ${amountIn}`)
    }
  }

  const connection: ReadonlyArray<Law> = [
    onTerms(
      "exact output and exact input are a Galois connection: the input for an output is within an amount exactly when the amount delivers it",
      anyTerms,
      (terms, amount, some) => {
        const edged = withEdgeAt(terms, amount, some % 3n)
        for (
          const [terms, amountIn] of [[edged, amount], [edged, amount + amount / 1_000n + 1n], [
            edged,
            amount - amount / 1_000n
          ]] as const
        ) {
          isConnected(terms, amountIn, some)
        }
        isConnected(terms, amount, some)
      }
    ),
    onTerms("the input for an exact output delivers it, and no less input does", anyTerms, isLeast),
    onTerms(
      "at a deposit address too, on either side of its cliff, the input for an exact output delivers it and no less does",
      cliffTerms,
      (terms, amountIn, other) => {
        const edged = withEdgeAt(terms, amountIn, other % 3n)
        const delivered = out(edged, amountIn)
        if (delivered === undefined) return
        const beyond = out(edged, amountIn + amountIn / 1_000n + 1n) ?? delivered
        for (const wanted of [delivered, delivered + 1n, beyond, delivered + delivered / 1_000n + 1n]) {
          if (wanted > 0n) isLeast(edged, wanted, other)
        }
      }
    ),
    onTerms(
      "around a cliff the input for what an amount delivers is no more than the amount",
      cliffTerms,
      (terms, amountIn) => {
        const delivered = out(terms, amountIn)
        if (delivered === undefined || delivered === 0n) return
        const needed = exactOutput(terms, delivered)
        must(Result.isSuccess(needed) && needed.success.amountIn <= amountIn, "more input than was seen to suffice")
      }
    )
  ]

  const conservation: ReadonlyArray<Law> = [
    onPrices(
      "sponsored + paid = total for each component and in sum, and the fees are those of the split",
      anyTerms,
      (priced) => {
        for (const component of components) {
          const { sponsored, total, userPays } = shareOf(priced, component)
          must(total === priced.fees[component] && sponsored + userPays === total, `${component} is not conserved`)
        }
        must(priced.userPays === sumOver((component) => shareOf(priced, component).userPays), "userPays is not the sum")
        must(
          priced.fees.originGas >= 0n && priced.fees.fillGas >= 0n &&
            priced.fees.originGas + priced.fees.fillGas <= priced.fees.relayerGas &&
            priced.fees.relayerGas <= priced.fees.execution,
          "gas is not within execution"
        )
      }
    ),
    onPrices(
      "output + paid fees, converted, are the input, up to one unit of the coarser currency in the user's disfavour",
      anyTerms,
      (priced, { destination, origin }) => {
        // in · rate − paid · rate − out, over the common denominator: what the user loses to rounding.
        const over = destination.price * 10n ** BigInt(origin.currency.decimals)
        const rate = origin.price * 10n ** BigInt(destination.currency.decimals)
        const lost = (priced.amountIn - priced.userPays) * rate - priced.amountOut * over
        must(lost >= 0n, "the rounding favours the user")
        must(lost < (rate > over ? rate : over), "more than a unit of the coarser currency is lost")
      }
    ),
    onTerms(
      "an exact output leaves less than one unit of the coarser currency with the solver, two where the source gains",
      userPaidTerms,
      (terms, wanted) => {
        const needed = exactOutput(terms, wanted)
        if (Result.isFailure(needed)) return
        const { destination, origin } = terms
        const over = destination.price * 10n ** BigInt(origin.currency.decimals)
        const rate = origin.price * 10n ** BigInt(destination.currency.decimals)
        const { amountIn, userPays } = needed.success
        // If a source gives more than the market by a flat amount, an input of zero may suffice.
        must(
          amountIn === 0n ||
            (amountIn - userPays) * rate - wanted * over < (gains(terms) ? 2n : 1n) * (rate > over ? rate : over),
          "a unit less would have done"
        )
      }
    )
  ]

  const rounding: ReadonlyArray<Law> = [
    onPrices(
      "service + app are the ceiling of their share, app the floor of its own",
      anyTerms,
      ({ amountIn, fees }, { appBps, serviceBps }) => {
        const exact = amountIn * (serviceBps + appBps)
        const paid = (fees.service + fees.app) * 10_000n
        must(paid >= exact && paid < exact + 10_000n, "service + app is no ceiling")
        const left = amountIn * appBps - fees.app * 10_000n
        must(left >= 0n && left < 10_000n, "app is no floor")
      }
    ),
    onPrices(
      "gas, rent and the flat fee are their exact worth, rounded up by less than a unit each",
      userPaidTerms,
      ({ fees }, terms) => {
        const { destinationNative, fillGas, origin, originGas, rent = 0n, sweepGas, topup = 0n } = terms
        const inDollars = (units: bigint, { currency, price }: typeof origin) => ({
          of: units * price,
          over: 10n ** BigInt(currency.decimals)
        })
        const atMostUnits = (units: bigint, of: bigint, over: bigint, count: bigint) => {
          const worth = inDollars(units, origin)
          const off = worth.of * over - of * worth.over
          return off >= 0n && off < count * origin.price * over
        }
        const gas = inDollars(fillGas, destinationNative)
        must(atMostUnits(fees.fillGas, gas.of, gas.over, 1n), "destination gas is rounded wrongly")
        const gasless = inDollars(originGas?.units ?? 0n, originGas?.native ?? origin)
        must(atMostUnits(fees.originGas, gasless.of, gasless.over, 1n), "origin gas is rounded wrongly")
        const sweep = inDollars(sweepGas?.units ?? 0n, sweepGas?.native ?? origin)
        must(
          atMostUnits(fees.relayerGas - fees.originGas - fees.fillGas, sweep.of, sweep.over, 1n),
          "a sweep's gas is rounded wrongly"
        )
        const created = inDollars(rent, destinationNative)
        must(atMostUnits(fees.rent, created.of, created.over, 1n), "rent is rounded wrongly")
        const flat = (2n * 10n ** 16n + topup) * 10n ** 18n
        must(
          atMostUnits(fees.execution - fees.relayerGas, flat, 1n, topup > 0n ? 2n : 1n),
          "the flat part is rounded wrongly"
        )
      }
    ),
    onPrices(
      "all shares of the input together are rounded up, by less than two units, and by less than one unless the source gains",
      userPaidTerms,
      ({ amountIn, fees }, terms) => {
        const { appBps, destination, origin, rebalancing = 0n, serviceBps, spreadBps } = terms
        // A cost that is known to the unit is a flat amount, like rebalancing.
        const source = terms.source?.cost === undefined ? terms.source : undefined
        const flat = rebalancing + (terms.source?.cost ?? 0n)
        const given = source === undefined
          ? 1n
          : source.amountOut * destination.price * 10n ** BigInt(origin.currency.decimals)
        const market = source === undefined
          ? 1n
          : source.amountIn * origin.price * 10n ** BigInt(destination.currency.decimals)
        const exact = amountIn * ((serviceBps + appBps + spreadBps) * market + (market - given) * 10_000n)
        const unit = 10_000n * market
        const off = (fees.service + fees.app + fees.swap - flat) * unit - exact
        must(off >= 0n, "the rounding favours the user")
        must(off < (gains(terms) ? 2n : 1n) * unit, "more than a unit is lost")
      }
    )
  ]

  const monotonicity: ReadonlyArray<Law> = [
    onTerms("more input never delivers less", anyTerms, (terms, amount, more) => {
      for (const next of [amount + 1n, amount + more]) {
        const [before, after] = [out(terms, amount), out(terms, next)]
        must(
          after === undefined || (before !== undefined && after >= before),
          `${amount} delivers ${before}, ${next} ${after}`
        )
      }
    }),
    law(
      "pricing: unit by unit more input never delivers less, whoever pays which component",
      fc.property(coarseTerms, fc.bigInt({ min: 0n, max: 100_000n }), (terms, from) => {
        let before = out(terms, from) ?? 0n
        for (let amount = from + 1n; amount < from + 60n; amount += 1n) {
          const after = out(terms, amount) ?? before
          must(after >= before, `${amount - 1n} delivers ${before}, ${amount} ${after}`)
          before = after
        }
      })
    ),
    monotone(
      "worth of the origin currency",
      userPaidTerms.map((terms) => ({ ...terms, source: undefined })),
      "more",
      (terms, by) => ({
        ...terms,
        origin: { ...terms.origin, price: UsdPrice(terms.origin.price + by % (10n ** 48n)) }
      })
    ),
    monotone(
      "worth of the destination currency",
      userPaidTerms.map((terms) => ({ ...terms, source: undefined })),
      "less",
      (terms, by) => ({
        ...terms,
        destination: { ...terms.destination, price: UsdPrice(terms.destination.price + by % (10n ** 48n)) }
      })
    ),
    monotone("worth of gas", anyTerms, "less", (terms, by) => ({
      ...terms,
      destinationNative: {
        ...terms.destinationNative,
        price: UsdPrice(terms.destinationNative.price + by % (10n ** 48n))
      }
    })),
    monotone("gas", anyTerms, "less", (terms, by) => ({ ...terms, fillGas: terms.fillGas + by })),
    monotone(
      "rebalancing",
      anyTerms,
      "less",
      (terms, by) => ({ ...terms, rebalancing: (terms.rebalancing ?? 0n) + by })
    ),
    ...(["serviceBps", "spreadBps", "appBps"] as const).map((member) =>
      monotone(member, userPaidTerms, "less", (terms, by) => ({ ...terms, [member]: Bps(terms[member] + by % 100n) }))
    ),
    onTerms("a higher cap never delivers less", termsWith(directSponsorship), (terms, amount, by) => {
      const capped = (off: bigint) => out(withEdgeAt(terms, amount, off), amount)
      const [low, edge, high] = [capped(-1n), capped(1n), capped(2n + by)]
      must(
        low === undefined || edge === undefined || high === undefined || (low <= edge && edge <= high),
        `${low}, ${edge}, ${high}`
      )
    }),
    onTerms("a sponsor never makes an amount deliver less", anyTerms, (terms, amount) => {
      const [alone, together] = [
        out(
          { ...terms, sponsorship: terms.sponsorship && { ...terms.sponsorship, sponsor: { _tag: "Nobody" } } },
          amount
        ),
        out(terms, amount)
      ]
      must(together === undefined || (alone !== undefined && together >= alone), "less with a sponsor")
    }),
    onTerms(
      "a gas topup is part of execution and of nothing else, and sponsored without a cap it costs the user nothing",
      anyTerms,
      (terms, amountIn) => {
        const topped = { ...terms, topup: Usd(2n * 10n ** 18n) }
        const [without, with_] = [exactInput({ ...terms, topup: Usd(0n) }, amountIn), exactInput(topped, amountIn)]
        if (Result.isFailure(without) || Result.isFailure(with_)) return
        const { execution, ...others } = with_.success.fees
        const { execution: before, ...same } = without.success.fees
        must(execution > before, "execution does not hold the topup")
        must(Object.entries(others).join() === Object.entries(same).join(), "another fee has changed")
        const sponsor = terms.sponsorship?.sponsor
        const isFree = sponsor?._tag === "Key" && sponsor.cap === undefined &&
          shareOf(with_.success, "execution").sponsored === execution - others.originGas
        if (isFree) {
          must(
            with_.success.amountOut >= without.success.amountOut,
            "a sponsored topup was taken off the output"
          )
        }
      }
    ),
    onTerms(
      "fully sponsored fees are not taken off the output",
      userPaidTerms.map((terms) => ({
        ...terms,
        originGas: undefined,
        sweepGas: undefined,
        source: undefined,
        sponsorship: {
          selection: { _tag: "Listed" as const, components },
          sponsor: { _tag: "Key" as const, cap: undefined },
          kind: "direct" as const
        }
      })),
      (terms, amount) => {
        const { destination, origin } = terms
        const whole = amount * origin.price * 10n ** BigInt(destination.currency.decimals) /
          (destination.price * 10n ** BigInt(origin.currency.decimals))
        const delivered = out(terms, amount)
        must(delivered === undefined || delivered === whole, `${delivered} instead of ${whole}`)
      }
    )
  ]

  return [...connection, ...conservation, ...rounding, ...monotonicity]
}
