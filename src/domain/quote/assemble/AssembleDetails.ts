/** The `details` of a quote (QUOTE-2): a summary of what was priced. Computes nothing that moves money. */
import type { Bps } from "../../money/Bps.ts"
import { sameCurrency, usdFloor } from "../../money/Currency.ts"
import type { PricedCurrency } from "../../money/Currency.ts"
import { formatRatio } from "../../money/Decimal.ts"
import { powerOfTen } from "../../money/PowerOfTen.ts"
import { formatUsd } from "../../money/Usd.ts"
import { pairClass } from "../pricing/AssetClass.ts"
import { fixedRateFeeUsd } from "../pricing/FixedRate.ts"
import type { FixedRate } from "../pricing/FixedRate.ts"
import { formatMicros, formatPercent, impactParts, swapImpactOf, toMicros, totalImpactOf } from "../pricing/Impact.ts"
import type { Priced } from "../pricing/Pricing.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { WireDetails } from "../wire/Details.ts"
import { wireAmount } from "../wire/WireAmount.ts"

/** The swaps of a route. Within one chain, the origin's swap gives the output itself. */
export interface RouteSwaps {
  readonly origin?: RouteSwap
  readonly destination?: RouteSwap
}

/** A swap on one side of a route, by its source and the currency between the swap and the bridge. */
export interface RouteSwap {
  readonly source: string
  /** The output of a swap on the origin, or the input of one on the destination. */
  readonly between: { readonly of: PricedCurrency; readonly amount: bigint; readonly minimum: bigint }
}

/**
 * A swap before the deposit: its slippage and the amount that the slippage applies to; and what a refund would pay,
 * which is based on the deposited currency.
 */
export interface SwapsFirst {
  readonly slip: { readonly of: PricedCurrency; readonly units: bigint; readonly whole: bigint }
  readonly refund: { readonly of: PricedCurrency; readonly amount: bigint }
}

/** The input of a quote's details. */
export interface DetailParts {
  readonly request: ResolvedRequest
  readonly priced: Priced
  readonly minimumOut: bigint
  readonly slippage: Bps
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  readonly destinationNative: PricedCurrency
  readonly userBalance: bigint
  readonly timeEstimateSeconds: number
  /** The gas topup of the fill, smallest units of the destination's native currency. */
  readonly topupUnits?: bigint
  readonly fixedRate?: FixedRate | undefined
  /** What useFallbacks would deliver; undefined when it was not requested. */
  readonly fallbackType?: string
  /**
   * The source of each swap on the route, and the currency between origin and destination; undefined without a swap.
   */
  readonly swaps?: RouteSwaps | undefined
  readonly swapsFirst?: SwapsFirst | undefined
  /**
   * The minimum of the order's refund options on the origin, smallest units of the refund's currency; omitted where a
   * refund pays everything.
   */
  readonly leastRefund?: bigint | undefined
  /**
   * The minimum of the order's refund option on the destination, smallest units of what the order pays; omitted where
   * there is none.
   */
  readonly leastOnDestination?: bigint | undefined
  /** The wire name of the service component (SERVICE_COMPONENT_NAME). */
  readonly serviceName: string
  /** The wire name of the route's router. */
  readonly routerName: string
}

const operationOf = (
  { destination, destinationCurrency, origin, originCurrency }: ResolvedRequest
): WireDetails["operation"] => {
  if (origin.id !== destination.id) return pairClass(originCurrency, destinationCurrency) === "same" ? "bridge" : "swap"
  if (sameCurrency(originCurrency, destinationCurrency)) return "send"
  if (pairClass(originCurrency, destinationCurrency) !== "same") return "swap"
  return originCurrency.isNative ? "wrap" : "unwrap"
}

const originSlippage = ({ slip: { of, units, whole } }: SwapsFirst) => ({
  usd: formatMicros(toMicros(usdFloor(units, of))),
  value: units.toString(),
  percent: formatPercent(units, whole)
})

const slippageOf = ({ destination, minimumOut, priced, slippage, swapsFirst }: DetailParts) => {
  const at = priced.amountOut - minimumOut
  const percent = formatPercent(slippage, 10_000n)
  const origin = swapsFirst === undefined
    ? { usd: "0.000000", value: "0", percent: "0.00" }
    : originSlippage(swapsFirst)
  return {
    // With an exact output only the input can slip.
    total: at === 0n ? origin.percent === "0.00" ? percent : origin.percent : percent,
    origin,
    destination: { usd: formatMicros(toMicros(usdFloor(at, destination))), value: at.toString(), percent }
  }
}

const impactsOf = (parts: DetailParts) => {
  const impact = impactParts(parts.priced, parts)
  const shown = (micros: bigint) => ({ usd: formatMicros(micros), percent: formatPercent(micros, impact.inUsd) })
  return {
    totalImpact: shown(totalImpactOf(impact)),
    swapImpact: shown(swapImpactOf(impact)),
    expandedPriceImpact: {
      swap: { usd: formatMicros(swapImpactOf(impact)) },
      execution: { usd: formatMicros(-impact.execution) },
      [parts.serviceName]: { usd: formatMicros(-impact.service) },
      app: { usd: formatMicros(-impact.app) },
      sponsored: { usd: formatMicros(impact.sponsored) }
    }
  }
}

const fixedRateOf = ({ destination, fixedRate, origin, priced }: DetailParts) =>
  fixedRate === undefined
    ? { isFixedRate: false }
    : {
      isFixedRate: true,
      fixedRateFee: {
        usd: formatUsd(fixedRateFeeUsd(priced.amountIn - priced.userPays, fixedRate, origin, destination))
      }
    }

/** A swap of the fill has its input returned. */
const refundOnDestinationOf = ({ destination, leastOnDestination: least, priced, swaps }: DetailParts) => {
  if (least === undefined) return {}
  const { amount, of } = swaps?.destination?.between ?? { of: destination, amount: priced.amountOut }
  return { refundOnDestination: wireAmount(of, amount, least) }
}

export const assembleDetails = (parts: DetailParts): WireDetails => {
  const { destination, destinationNative, fallbackType, minimumOut, origin, priced, request, routerName } = parts
  const currencyIn = wireAmount(origin, priced.amountIn)
  const currencyOut = wireAmount(destination, priced.amountOut, minimumOut)
  const leg = (side: "origin" | "destination") => {
    const [own, swap] = [side === "origin" ? currencyIn : currencyOut, parts.swaps?.[side]]
    const other = swap === undefined ? own : wireAmount(swap.between.of, swap.between.amount, swap.between.minimum)
    return {
      inputCurrency: side === "origin" ? own : other,
      outputCurrency: side === "origin" ? other : own,
      router: swap?.source ?? routerName,
      includedSwapSources: swap === undefined ? [] : [swap.source]
    }
  }
  return {
    operation: operationOf(request),
    sender: request.user,
    recipient: request.recipient,
    currencyIn,
    currencyOut,
    refundCurrency: parts.swapsFirst === undefined
      ? wireAmount(origin, priced.amountIn, parts.leastRefund)
      : wireAmount(parts.swapsFirst.refund.of, parts.swapsFirst.refund.amount, parts.leastRefund),
    ...refundOnDestinationOf(parts),
    currencyGasTopup: wireAmount(destinationNative, parts.topupUnits ?? 0n),
    ...impactsOf(parts),
    rate: formatRatio(
      priced.amountOut * powerOfTen(origin.currency.decimals),
      priced.amountIn * powerOfTen(destination.currency.decimals),
      18
    ),
    slippageTolerance: slippageOf(parts),
    timeEstimate: parts.timeEstimateSeconds,
    userBalance: parts.userBalance.toString(),
    ...(fallbackType === undefined ? {} : { fallbackType }),
    ...fixedRateOf(parts),
    route: { origin: leg("origin"), destination: leg("destination") }
  }
}
