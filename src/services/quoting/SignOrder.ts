/**
 * Makes the order of a priced route, and signs it: the deposit that it asks for, and how much less than the deposit a
 * refund may pay.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { inTime } from "../../../ports/signing/InTime.ts"
import { networkOfAddresses } from "../../domain/chain/AddressNetwork.ts"
import { findChainBySlug } from "../../domain/chain/Chain.ts"
import { hex32FromDigest } from "../../domain/encoding/Hex.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { convertCeil } from "../../domain/money/Currency.ts"
import { maxOf } from "../../domain/money/Rounding.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { orderId } from "../../domain/order/OrderId.ts"
import { buildOrder } from "../../domain/quote/assemble/BuildOrder.ts"
import {
  destinationRefundBound,
  originRefundBound,
  revertedFillBound,
  revertedPlainBound
} from "../../domain/quote/pricing/RefundBound.ts"
import type { Desk } from "./Desk.ts"
import type { PricedRoute } from "./PricedRoute.ts"

/**
 * What one reverted fill may take off the refund. Zero for a fill that runs no code of strangers (REFUND-11), where none
 * may come before its block (REFUND-13), and which its recipient cannot make fail without code (REFUND-16).
 */
const revertedBound = (route: PricedRoute): bigint => {
  if (route._tag !== "Delivered") return 0n
  const { callsMost, fill: { market } } = route
  if (callsMost > 0n) return revertedFillBound(callsMost, market.destinationNative, market.origin)
  return market.code !== undefined || market.canFail === true
    ? revertedPlainBound(market.fillGas, market.destinationNative, market.origin)
    : 0n
}

/**
 * The amount that the order asks for, which is the minimum output of a swap before the deposit, and how much less a
 * refund may pay.
 */
export const promiseOf = (route: PricedRoute) => {
  const { market, price: { priced } } = route.fill
  const before = route._tag === "Delivered" ? route.before : undefined
  return {
    before,
    amountIn: before?.minimum ?? priced.amountIn,
    bounds: { gas: originRefundBound(market), calls: revertedBound(route) }
  }
}

const orDieNow = <A, E>(result: Result.Result<A, E>): Effect.Effect<A> =>
  Result.match(result, { onFailure: Effect.die, onSuccess: Effect.succeed })

type Promised = ReturnType<typeof promiseOf>

/** Who settles and signs orders, and what makes their ids. */
type OrderParties = Pick<Desk, "all" | "random" | "settlement" | "signer">

/** `now` in milliseconds. */
const orderOf = (
  { settlement, signer }: OrderParties,
  { fill, price }: PricedRoute,
  now: number,
  { amountIn, before, bounds }: Promised,
  salt: Hex32
) => {
  const { market, price: { minimumOut, priced: { amountOut } }, request } = fill
  return orDieNow(buildOrder(request, {
    settlement: settlement.chain.slug,
    solver: signer.solver,
    salt,
    now: Math.floor(now / 1000),
    amountIn,
    expectedIn: before?.expected,
    amountOut,
    minimumOut,
    delivers: request.swap && {
      currency: request.swap.currency.address,
      amountOut: price.priced.amountOut,
      minimumOut: price.minimumOut
    },
    topup: market.topupUnits ?? 0n,
    originRefundGas: bounds.gas + bounds.calls,
    destinationRefundGas: destinationRefundBound(market.fillGas, market.destinationNative, market.destination),
    fees: maxOf(0n, convertCeil(amountIn, market.origin, market.destination) - amountOut)
  }))
}

const NO_SALT = hex32FromDigest(new Uint8Array(32))

/** The order that a quote would make, for its figures alone: it has no id, and nobody can be held to it. */
export const orderInMind = (parties: OrderParties, route: PricedRoute, now: number, promise: Promised) =>
  orderOf(parties, route, now, promise, NO_SALT)

/**
 * The order with its id, without a signature.
 * Another salt is drawn while the id is one that the transactions of a chain cannot name (EXCHANGEB-9). One of 2^96 is.
 */
const makeOrder = Effect.fnUntracedEager(
  function*(parties: OrderParties, route: PricedRoute, now: number, promise: Promised) {
    const { origin, destination } = route.fill.request
    const { all, random } = parties
    const canBeNamed = (id: OrderId): boolean =>
      [origin, destination].every(({ family }) => family.canName?.(id) ?? true)
    while (true) {
      const order = yield* orderOf(parties, route, now, promise, hex32FromDigest(yield* random.take(32)))
      const id = yield* orDieNow(
        orderId(order, (slug) => findChainBySlug(all, slug)?.family, networkOfAddresses(all))
      )
      if (canBeNamed(id)) return { order, orderId: id }
    }
  }
)

/** `now` in milliseconds. */
export const signOrder = Effect.fnUntracedEager(
  function*(parties: OrderParties, route: PricedRoute, now: number, promise: Promised) {
    const made = yield* makeOrder(parties, route, now, promise)
    return { ...made, orderSignature: yield* inTime(parties.signer.sign(made.orderId)) }
  }
)
