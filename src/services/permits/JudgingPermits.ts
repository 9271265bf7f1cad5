/**
 * Checks that a permit's deposit would be filled now, before a submission is queued and again before it is signed. A
 * deposit that would only be refunded wastes gas, so the permit is refused with the reason.
 *
 * No guarantee: prices move until the deposit is in a block. Then the submission's gas is subtracted from the refund.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { findChain, findCurrency } from "../../domain/chain/Chain.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { findPause } from "../../domain/pause/Pause.ts"
import { countsForOrder, judgePermitted } from "../../domain/permit/PermittedDeposit.ts"
import { PermitRefused } from "../../domain/permit/PermitRefused.ts"
import type { FinalVerdict } from "../../domain/transfer/deposit/JudgeDeposit.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { CheckedConfiguration } from "../operations/CheckedConfiguration.ts"
import { reprice } from "../filling/Repricing.ts"
import { findDelivery } from "../filling/Delivery.ts"
import { servedRoute } from "../filling/ServedRoute.ts"

const refuse = (reason: PermitRefused["reason"], message: string) => new PermitRefused({ reason, message })

/** The quote's chains and currencies are in service and not paused. */
const assertOpen = Effect.fnUntraced(function*({ terms }: Transfer) {
  const { destinationChainId, destinationCurrency, destinationSwap, originChainId, originCurrency } = terms
  const chains = yield* Chains
  const pauses = yield* Pauses
  const ends = [{ chainId: originChainId, currency: originCurrency }, {
    chainId: destinationChainId,
    currency: destinationCurrency
  }] as const
  const isServed = ends.every(({ chainId, currency }) => {
    const chain = findChain(chains.all, chainId)
    return chain !== undefined && findCurrency(chain, currency) !== undefined
  })
  if (!isServed) {
    return yield* refuse("route", "a chain or a currency of the quote is not served any more: ask for a new quote")
  }
  if (findChain(chains.all, originChainId)?.permits?.forwarder !== terms.permit?.forwarder) {
    return yield* refuse("route", "permits of the origin chain now use another contract: ask for a new quote")
  }
  const [origin, destination] = ends
  const swapped = destinationSwap === undefined ? [] : [{ ...destination, currency: destinationSwap.currency }]
  const { assertServing } = yield* CheckedConfiguration
  yield* Effect.catchTag(
    assertServing([{ chainId: originChainId, currencies: [originCurrency] }, {
      chainId: destinationChainId,
      currencies: [destinationCurrency, ...swapped.map(({ currency }) => currency)]
    }]),
    "ConfigurationContradicted",
    ({ message }) =>
      refuse(
        "paused",
        `out of service until its operator has corrected it, post it again or ask for a new quote later: ${message}`
      )
  )
  const held = yield* pauses.all
  if ([destination, ...swapped].some((each) => findPause(held, { origin, destination: each }) !== undefined)) {
    return yield* refuse(
      "paused",
      "a chain, a currency or the route of the quote is paused by the operator: post it again, or ask for a new quote, later"
    )
  }
})

/** The request waits for its deposit, and no deposit that names its order counts. */
const assertWaiting = Effect.fnUntraced(function*({ id, orderId }: Transfer) {
  const history = yield* TransferHistory
  const transfers = yield* Transfers
  const now = yield* transfers.find(id)
  const deposits = yield* history.deposits(orderId)
  const isFilled = (yield* findDelivery(orderId)) !== undefined
  if (now?.status === "waiting" && !isFilled && !deposits.some(({ deposit }) => countsForOrder(now, deposit))) return
  return yield* refuse(
    "deposited",
    "the request has a deposit already: GET /intents/status shows its outcome; for another transfer ask for a new quote"
  )
})

/** The verdict on its deposit in the next block: at the quoted price or today's, by the rules for deposits. */
const verdictOf = Effect.fnUntraced(function*(chain: Chain, transfer: Transfer) {
  const time = Math.ceil(((yield* Clock.currentTimeMillis) + chain.blockTimeMs) / 1000)
  const judged = judgePermitted(transfer, time)
  switch (judged._tag) {
    case "Refund":
      return judged satisfies FinalVerdict
    case "Fill":
      return judged.verdict satisfies FinalVerdict
    case "Reprice": {
      const chains = yield* Chains
      const route = yield* servedRoute(chains.all, transfer)
      return (yield* reprice(route, transfer, judged.price, "sponsor")).verdict
    }
  }
})

/** Fails with `PermitRefused` when the permit's deposit would not be filled now. */
export const judgePermit = Effect.fn("Permits.judge")(function*(chain: Chain, transfer: Transfer) {
  yield* assertOpen(transfer)
  yield* assertWaiting(transfer)
  // The test switch exists to see refunds.
  if (transfer.terms.forceRefund === true) return
  const verdict = yield* verdictOf(chain, transfer)
  if (verdict._tag === "Refund") {
    return yield* refuse("refund", `its deposit would only be refunded (${verdict.reason}): ask for a new quote`)
  }
})
