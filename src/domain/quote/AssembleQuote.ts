/** Puts a priced request into the exact wire shape of the contract (spec/1 §2.3, spec/3 §3a). Computes nothing that moves money. */
import type { Bps } from "../money/Bps.ts"
import { sameCurrency, usdFloor } from "../money/Currency.ts"
import type { PricedCurrency } from "../money/Currency.ts"
import { formatRatio } from "../money/Decimal.ts"
import { pairClass } from "./AssetClass.ts"
import { formatMicros, formatPercent, swapImpactOf, swapPartOf, toMicros, totalImpactOf } from "./Impact.ts"
import type { ImpactParts } from "./Impact.ts"
import { relayerFee } from "./Pricing.ts"
import type { Priced } from "./Pricing.ts"
import type { ResolvedRequest } from "./ResolveRequest.ts"
import type { Quote, WireDetails, WireProtocol } from "./wire/Quote.ts"
import type { Step } from "./wire/Step.ts"
import { wireAmount } from "./wire/WireAmount.ts"

export interface QuoteParts {
  readonly request: ResolvedRequest
  readonly priced: Priced
  readonly minimumOut: bigint
  readonly slippage: Bps
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  readonly originNative: PricedCurrency
  readonly destinationNative: PricedCurrency
  /** What the deposit costs the user's own wallet, smallest units of the origin's native currency. */
  readonly originGas: bigint
  readonly userBalance: bigint
  readonly timeEstimateSeconds: number
  readonly steps: ReadonlyArray<Step>
  readonly protocol: WireProtocol | undefined
  /** The wire name of the service component (SERVICE_COMPONENT_NAME). */
  readonly serviceName: string
  /** Who the route's router is, on the wire. */
  readonly routerName: string
}

/** The micro-dollar values of a quote that impacts are made of. */
export const impactParts = (priced: Priced, origin: PricedCurrency, destination: PricedCurrency): ImpactParts => {
  const usd = (units: bigint) => toMicros(usdFloor(units, origin))
  const { fees } = priced
  return {
    inUsd: usd(priced.amountIn),
    outUsd: toMicros(usdFloor(priced.amountOut, destination)),
    execution: usd(fees.execution),
    service: usd(fees.service),
    rent: usd(fees.rent),
    app: usd(fees.app),
    relayer: usd(relayerFee(fees)),
    sponsored: 0n
  }
}

const operationOf = ({ destination, destinationCurrency, origin, originCurrency }: ResolvedRequest): WireDetails["operation"] => {
  if (origin.id !== destination.id) return pairClass(originCurrency, destinationCurrency) === "same" ? "bridge" : "swap"
  if (sameCurrency(originCurrency, destinationCurrency)) return "send"
  if (pairClass(originCurrency, destinationCurrency) !== "same") return "swap"
  return originCurrency.isNative ? "wrap" : "unwrap"
}

const slippageOf = (parts: QuoteParts) => {
  const { destination, minimumOut, priced, slippage } = parts
  const at = priced.amountOut - minimumOut
  const percent = formatPercent(slippage, 10_000n)
  return {
    total: percent,
    origin: { usd: "0.000000", value: "0", percent: "0.00" },
    destination: { usd: formatMicros(toMicros(usdFloor(at, destination))), value: at.toString(), percent }
  }
}

const detailsOf = (parts: QuoteParts): WireDetails => {
  const { destination, destinationNative, minimumOut, origin, priced, request, serviceName } = parts
  const currencyIn = wireAmount(origin, priced.amountIn)
  const currencyOut = wireAmount(destination, priced.amountOut, minimumOut)
  const impact = impactParts(priced, origin, destination)
  const shown = (micros: bigint) => ({ usd: formatMicros(micros), percent: formatPercent(micros, impact.inUsd) })
  return {
    operation: operationOf(request),
    sender: request.user,
    recipient: request.recipient,
    currencyIn,
    currencyOut,
    refundCurrency: currencyIn,
    currencyGasTopup: wireAmount(destinationNative, 0n),
    totalImpact: shown(totalImpactOf(impact)),
    swapImpact: shown(swapImpactOf(impact)),
    expandedPriceImpact: {
      swap: { usd: formatMicros(swapPartOf(impact)) },
      execution: { usd: formatMicros(-impact.execution) },
      [serviceName]: { usd: formatMicros(-impact.service) },
      app: { usd: formatMicros(-impact.app) },
      sponsored: { usd: formatMicros(impact.sponsored) }
    },
    rate: formatRatio(
      priced.amountOut * 10n ** BigInt(origin.currency.decimals),
      priced.amountIn * 10n ** BigInt(destination.currency.decimals),
      18
    ),
    slippageTolerance: slippageOf(parts),
    timeEstimate: parts.timeEstimateSeconds,
    userBalance: parts.userBalance.toString(),
    isFixedRate: false,
    route: {
      origin: { inputCurrency: currencyIn, outputCurrency: currencyIn, router: parts.routerName, includedSwapSources: [] },
      destination: { inputCurrency: currencyOut, outputCurrency: currencyOut, router: parts.routerName, includedSwapSources: [] }
    }
  }
}

export const assembleQuote = (parts: QuoteParts): Quote => {
  const { origin, originGas, originNative, priced, protocol, steps } = parts
  const { fees } = priced
  const relayer = relayerFee(fees)
  return {
    steps,
    fees: {
      gas: wireAmount(originNative, originGas),
      relayer: wireAmount(origin, relayer),
      relayerGas: wireAmount(origin, fees.relayerGas),
      relayerService: wireAmount(origin, relayer - fees.relayerGas),
      app: wireAmount(origin, fees.app),
      subsidized: wireAmount(origin, 0n)
    },
    details: detailsOf(parts),
    ...(protocol === undefined ? {} : { protocol })
  }
}
