/** The facts that pricing a transfer rests on, gathered from the ports in parallel: prices, and gas on both sides. */
import * as Effect from "effect/Effect"
import type { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import type { Opening } from "../../../../ports/chain/Gas.ts"
import { holdingOf } from "../../../../ports/chain/PaymentKinds.ts"
import type { Holding, Payment } from "../../../../ports/chain/PaymentKinds.ts"
import { PaymentRefused } from "../../../../ports/chain/Treasury.ts"
import type { FillSwap } from "../../../domain/swap/FillSwap.ts"
import type { Address, CurrencyAddress } from "../../../domain/chain/Address.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import { convertFloor, unitsForUsdFloor, usdCeil } from "../../../domain/money/Currency.ts"
import type { Currency, PricedCurrency } from "../../../domain/money/Currency.ts"
import type { Usd } from "../../../domain/money/Usd.ts"
import { OrderId } from "../../../domain/order/Order.ts"
import type { RouterCall } from "../../../domain/order/RouterCall.ts"
import { checkCallValues } from "../../../domain/quote/DestinationCalls.ts"
import type { OriginGas } from "../../../domain/quote/pricing/Fees.ts"
import type { PermitTerms } from "../../../domain/permit/Permit.ts"
import type { Authorization } from "../../../domain/quote/request/RequestLists.ts"
import type { PriceWish } from "../../../domain/quote/pricing/PriceRequest.ts"
import { isKnown } from "../../../../ports/Known.ts"
import { spanned } from "../../../../ports/Spanned.ts"
import { deliveryPayment } from "../../payments/DeliveryPayment.ts"
import { costNow, marketNow, openingNow, priceNow } from "./Facts.ts"
import type { MarketAt } from "./Facts.ts"

/** The chains and currencies of a request. */
export interface Route {
  readonly origin: Chain
  readonly originCurrency: Currency
  /** The currency with which the user pays when it is swapped before the deposit. */
  readonly paid?: Currency | undefined
  readonly destination: Chain
  readonly destinationCurrency: Currency
  /** The currency that the recipient gets when the fill swaps the destination currency. */
  readonly received?: Currency | undefined
  /** The payment is made in place of a fill whose swap cannot be made. */
  readonly isFallback?: boolean | undefined
  /** The swap that the fill's own transaction makes, where no calls can. */
  readonly swap?: FillSwap | undefined
  readonly recipient: Address
  readonly refundTo: Address
  readonly calls: ReadonlyArray<RouterCall>
  readonly callsGas: bigint | undefined
  /**
   * Undefined when the user's own transaction is the deposit. At a deposit address a sweep makes the deposit, and its
   * gas is part of the fees.
   */
  readonly depositAddress?: object | undefined
  /** Present when the operator submits what the user has signed. Then the origin's gas is part of the fees. */
  readonly gasless?: Pick<PermitTerms, "kind" | "gasOverhead"> | undefined
  /** The value of the requested gas topup. Undefined without one, and once an order states the amount. */
  readonly topup?: Usd | undefined
  /** The gas topup of an order, smallest units of the destination's native currency. */
  readonly topupUnits?: bigint | undefined
  /** The result of a swap in the fill, for the calls after it. */
  readonly leftover?: CurrencyAddress | undefined
  /** EIP-7702 authorizations that the fill carries. */
  readonly authorizations?: ReadonlyArray<Authorization> | undefined
}

export interface MarketFacts {
  readonly origin: PricedCurrency
  readonly destination: PricedCurrency
  readonly originNative: PricedCurrency
  readonly destinationNative: PricedCurrency
  /** Smallest units of the destination's native currency. */
  readonly fillGas: bigint
  /**
   * Cost of opening the recipient's account in the fill, smallest units of the destination's native currency. Zero for
   * an account that is open and can be closed. Absent where no payment opens an account.
   */
  readonly rent?: bigint
  /** The least that the fill may pay this recipient, smallest units of the destination currency. */
  readonly leastOut?: bigint
  /**
   * Gas or energy that the fill's price holds where strangers' code runs in it; zero where none was there to run. Absent
   * where no code can run. For a fill that swaps it is of the swap (`unitsOfSwap`).
   */
  readonly codeUnits?: bigint
  /** Code of its recipient that the fill runs, or may run once it is there. */
  readonly code?: Opening["code"] & string
  /** Its recipient can make the fill fail without code. */
  readonly canFail?: true
  /** Smallest units of the origin's native currency, with the rent of an account that the refund would have to open. */
  readonly refundGas: bigint
  /**
   * What the refund takes besides, if its recipient closes the account that is open now: smallest units of the origin's
   * native currency.
   */
  readonly refundReopening?: bigint
  /** The gas topup: its value, and its amount in smallest units of the destination's native currency. */
  readonly topup?: Usd
  readonly topupUnits?: bigint
  /** The cost of a sweep on the origin. */
  readonly sweepGas?: OriginGas
  /** The cost of submitting a permit on the origin. */
  readonly originGas?: OriginGas
}

/** Any id costs the same gas, except that zero bytes are cheaper: this one has none. */
const gasId = OrderId.make(`0x${"ff".repeat(32)}`)

/** The parts of a request that the fill's gas depends on. */
export type Wish = Pick<PriceWish, "amount" | "tradeType"> & {
  /** The amount with which calls are tried when they take exactly that, smallest units of the destination currency. */
  readonly pays?: bigint | undefined
  /** Used as the fill's gas when it cannot be tried, smallest units of the destination's native currency. */
  readonly fillGas?: bigint | undefined
}

/** The most that the fill can pay, before its gas is known. Calls are tried with that much. */
const grossOutput = ({ amount, pays, tradeType }: Wish, origin: PricedCurrency, destination: PricedCurrency): bigint =>
  pays ?? (tradeType === "EXACT_INPUT" ? convertFloor(amount, origin, destination) : amount)

/** True for a fill that also sends native currency to the recipient. */
const hasTopup = ({ topup, topupUnits = 0n }: Route): boolean => topup !== undefined || topupUnits > 0n

/** The holding from which a route's output is paid. */
export const holdingFor = (route: Route): Holding => holdingOf(tentativeFill(route, 1n))

/** A received amount is rounded down. An order's topup is valued at its current price. */
const topupNow = ({ topup, topupUnits = 0n }: Route, native: PricedCurrency) => {
  if (topupUnits > 0n) return { topup: usdCeil(topupUnits, native), topupUnits }
  return topup === undefined ? {} : { topup, topupUnits: unitsForUsdFloor(topup, native) }
}

/** The payment of a route's output, tried before there is an order. The topup's amount does not matter. */
export const tentativeFill = (route: Route, amount: bigint) =>
  deliveryPayment(route, { orderId: gasId, amount, topup: hasTopup(route) ? 1n : 0n })

/** A refusal of the refund, told apart from that of the fill: another field of the request is wrong. */
const ofRefund = (failed: ChainUnavailable | PaymentRefused): ChainUnavailable | PaymentRefused => {
  const unfit = failed._tag === "PaymentRefused" ? failed.unfit?._tag : undefined
  if (unfit === "NoAccount") return new PaymentRefused({ reason: "reverts", unfit: { _tag: "NoRefundAccount" } })
  return unfit === "OwnAccount"
    ? new PaymentRefused({ reason: "reverts", unfit: { _tag: "OwnRefundAccount" } })
    : failed
}

/** Everything that is asked for at once. Each part is known, or asked for. */
const askMarket = (at: MarketAt, route: Route, wish: Wish) => {
  const { gas } = at
  const { destination, destinationCurrency, origin, originCurrency } = route
  const refund: Payment = {
    _tag: "Refund",
    chain: origin,
    currency: originCurrency,
    recipient: route.refundTo,
    orderId: gasId,
    amount: 1n
  }
  const fill = tentativeFill(route, 1n)
  return {
    origin: priceNow(at, originCurrency),
    destination: priceNow(at, destinationCurrency),
    originNative: priceNow(at, origin.native),
    destinationNative: priceNow(at, destination.native),
    fillGas: wish.fillGas === undefined && route.calls.length === 0 && route.swap === undefined
      ? costNow(at, fill)
      : Effect.succeed(wish.fillGas),
    refundGas: Effect.mapErrorEager(costNow(at, refund), ofRefund),
    sweepGas: route.depositAddress === undefined ? Effect.undefined : gas.ofSweep(origin, originCurrency),
    permitGas: route.gasless === undefined
      ? Effect.undefined
      : gas.ofPermit(origin, route.gasless.kind, route.gasless.gasOverhead ?? 0n),
    opening: openingNow(at, fill),
    refundOpening: gas.opening(refund)
  }
}

const answersOf = (asked: ReturnType<typeof askMarket>) => {
  const { destination, destinationNative, fillGas, opening, origin, originNative } = asked
  const { permitGas, refundGas, refundOpening, sweepGas } = asked
  return isKnown(origin) && isKnown(destination) && isKnown(originNative) && isKnown(destinationNative) &&
      isKnown(fillGas) && isKnown(refundGas) && isKnown(sweepGas) && isKnown(permitGas) && isKnown(opening) &&
      isKnown(refundOpening)
    ? Effect.succeed({
      origin: origin.value,
      destination: destination.value,
      originNative: originNative.value,
      destinationNative: destinationNative.value,
      fillGas: fillGas.value,
      refundGas: refundGas.value,
      sweepGas: sweepGas.value,
      permitGas: permitGas.value,
      opening: opening.value,
      refundOpening: refundOpening.value
    })
    : Effect.all(asked, { concurrency: "unbounded" })
}

/**
 * Fails with `PaymentRefused` when the chain would not execute the fill or a refund, and with INVALID_EXTRA_TXS when its
 * calls send more than it pays.
 */
export const gatherMarketAt = Effect.fnUntracedEager(function*(at: MarketAt, route: Route, wish: Wish) {
  const asked = yield* answersOf(askMarket(at, route, wish))
  const { destination, destinationNative, opening, origin, originNative, permitGas, sweepGas } = asked
  const { rent: refundRent, rentOnceClosed: refundRentOnceClosed = 0n } = asked.refundOpening
  const gross = grossOutput(wish, origin, destination)
  yield* Effect.fromResult(checkCallValues(route.calls, route.destinationCurrency, gross))
  // The code of a recipient may take more for the amount that it is paid.
  const isGreedy = wish.fillGas === undefined && opening.code === "present"
  const fillGas = asked.fillGas === undefined || isGreedy
    ? yield* costNow(at, tentativeFill(route, gross))
    : asked.fillGas
  return {
    origin,
    destination,
    originNative,
    destinationNative,
    fillGas,
    refundGas: asked.refundGas + refundRent,
    ...(opening.rent === 0n && opening.rentOnceClosed === undefined ? {} : { rent: opening.rent }),
    ...(refundRent < refundRentOnceClosed ? { refundReopening: refundRentOnceClosed - refundRent } : {}),
    ...(opening.least === 0n ? {} : { leastOut: opening.least }),
    ...(opening.code === undefined ? {} : { code: opening.code }),
    ...(opening.canFail === undefined ? {} : { canFail: opening.canFail }),
    ...topupNow(route, destinationNative),
    ...(sweepGas === undefined ? {} : { sweepGas: { native: originNative, units: sweepGas } }),
    ...(permitGas === undefined ? {} : { originGas: { native: originNative, units: permitGas } })
  } satisfies MarketFacts
}, spanned("MarketFacts.gather"))

/** The same now. */
export const gatherMarketFacts = (route: Route, wish: Wish) =>
  Effect.flatMap(marketNow, (at) => gatherMarketAt(at, route, wish))

/**
 * Gas or energy that strangers' code takes in a fill that does not swap (PRICE-26): calls of its request, or its
 * recipient's code. Zero where none is there yet, undefined where none can run.
 */
export const codeUnitsAt = (
  { gas }: MarketAt,
  route: Route,
  { code, destination, origin }: Pick<MarketFacts, "code" | "destination" | "origin">,
  wish: Wish
) => {
  if (route.calls.length > 0 || code === "present") {
    return gas.unitsOf(tentativeFill(route, grossOutput(wish, origin, destination)))
  }
  return Effect.succeed(code === undefined ? undefined : 0n)
}
