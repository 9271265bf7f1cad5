/** The verdict on a confirmed deposit: the domain's, with the market's facts when the quoted price no longer holds. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Payments } from "../../../ports/Payments.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { priceRequest } from "../../domain/quote/PriceRequest.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { judgeDeposit, judgeRepriced } from "../../domain/transfer/JudgeDeposit.ts"
import type { FinalVerdict } from "../../domain/transfer/JudgeDeposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { gatherMarketFacts } from "../MarketFacts.ts"

/** The chains and currencies of a stored transfer; undefined when the configuration no longer has them. */
export const routeOf = (chains: ReadonlyArray<Chain>, { terms }: Transfer) => {
  const origin = findChain(chains, terms.originChainId)
  const destination = findChain(chains, terms.destinationChainId)
  const originCurrency = origin === undefined ? undefined : findCurrency(origin, terms.originCurrency)
  const destinationCurrency = destination === undefined ? undefined : findCurrency(destination, terms.destinationCurrency)
  return origin === undefined || destination === undefined || originCurrency === undefined || destinationCurrency === undefined
    ? undefined
    : { origin, destination, originCurrency, destinationCurrency, recipient: terms.recipient, refundTo: terms.refundTo }
}

/** What today's price delivers for the deposited amount; zero when it does not cover the fees. */
const repricedOutput = Effect.fnUntraced(function*(chains: ReadonlyArray<Chain>, transfer: Transfer, amountIn: bigint) {
  const route = routeOf(chains, transfer)
  if (route === undefined) return 0n
  const market = yield* gatherMarketFacts(route)
  const repriced = priceRequest(market, { amount: amountIn, tradeType: "EXACT_INPUT", slippage: undefined })
  return Result.isSuccess(repriced) ? repriced.success.priced.amountOut : 0n
})

export const decideDeposit = Effect.fn("Filling.decide")(function*(
  chains: ReadonlyArray<Chain>,
  transfer: Transfer,
  deposit: Deposit
) {
  const payments = yield* Payments
  const filled = yield* payments.find(transfer.orderId, "fill")
  // The first deposit that was filled claims the order; another one goes back.
  if (filled !== undefined && filled.deposit !== deposit.onchainId) {
    return { _tag: "Refund", reason: "DOUBLE_SPEND" } satisfies FinalVerdict
  }
  const verdict = judgeDeposit(transfer, deposit)
  if (verdict._tag !== "Reprice") return verdict
  return judgeRepriced(transfer, deposit, yield* repricedOutput(chains, transfer, verdict.amountIn))
})
