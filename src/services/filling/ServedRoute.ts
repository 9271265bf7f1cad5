/** The route of a stored transfer, as this process is configured for it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { findAnyCurrency, findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import { decodeRouterCall } from "../../domain/order/RouterCall.ts"
import { topupOf } from "../../domain/order/Topup.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"

/**
 * This process must not judge a transfer whose chains it does not serve: another process, or its next configuration,
 * will.
 */
export const served = (chains: ReadonlyArray<Chain>, id: ChainId) => {
  const chain = findChain(chains, id)
  const [any] = chains
  return chain === undefined && any !== undefined
    ? Effect.fail(new ChainUnavailable({ chain: any.slug, operation: `filling for chain ${id}`, kind: "not-served" }))
    : Effect.succeed(chain ?? any)
}

export const servedRoute = Effect.fnUntraced(function*(chains: ReadonlyArray<Chain>, { order, terms }: Transfer) {
  const origin = yield* served(chains, terms.originChainId)
  const destination = yield* served(chains, terms.destinationChainId)
  const originCurrency = origin === undefined ? undefined : findCurrency(origin, terms.originCurrency)
  const destinationCurrency = destination === undefined
    ? undefined
    : findCurrency(destination, terms.destinationCurrency)
  if (
    origin === undefined || destination === undefined || originCurrency === undefined ||
    destinationCurrency === undefined
  ) {
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
    topupUnits: topupOf(order)
  } satisfies Route
})
