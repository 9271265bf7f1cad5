/** The route of a stored transfer, in the configuration of this process. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { findAnyCurrency, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import { decodeRouterCall } from "../../domain/order/RouterCall.ts"
import { topupOf } from "../../domain/order/Topup.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"

/** A route that this process does not serve is left alone: another process, or the next configuration, serves it. */
export const servedRoute = Effect.fnUntraced(function*(chains: ReadonlyArray<Chain>, { order, terms }: Transfer) {
  const origin = yield* Effect.fromResult(servedChain(chains, terms.originChainId))
  const destination = yield* Effect.fromResult(servedChain(chains, terms.destinationChainId))
  const originCurrency = findCurrency(origin, terms.originCurrency)
  const destinationCurrency = findCurrency(destination, terms.destinationCurrency)
  if (originCurrency === undefined || destinationCurrency === undefined) {
    return yield* Effect.die(new Error("a currency of a stored transfer is no longer configured"))
  }
  const calls = yield* Effect.orDie(Effect.fromResult(Result.all(order.output.calls.map(decodeRouterCall))))
  const {
    authorizations,
    callsGas,
    depositAddress,
    destinationSwap,
    originSwap,
    permit: gasless,
    recipient,
    refundTo
  } = terms
  const paid = originSwap === undefined ? undefined : findAnyCurrency(origin, originSwap.currency)
  const received = destinationSwap === undefined ? undefined : findAnyCurrency(destination, destinationSwap.currency)
  if (destinationSwap?.route !== undefined && received === undefined) {
    return yield* Effect.die(new Error("a currency of a stored transfer is no longer configured"))
  }
  const swap = destinationSwap?.route === undefined || received === undefined
    ? undefined
    : { currency: received, least: destinationSwap.minimumOut, mostHops: destinationSwap.route.mostHops }
  const leftover = destinationSwap?.thenCalls === true ? destinationSwap.currency : undefined
  return {
    paid,
    received,
    authorizations,
    depositAddress,
    gasless,
    origin,
    originCurrency,
    destination,
    destinationCurrency,
    recipient,
    refundTo,
    calls,
    callsGas,
    leftover,
    swap,
    topupUnits: topupOf(order)
  } satisfies Route
})
