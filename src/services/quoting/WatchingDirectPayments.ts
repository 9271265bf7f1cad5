/**
 * Watches direct payments: sends and swaps within one chain that users execute themselves (STEP-4). One loop per chain
 * looks for them whenever the chain has moved while any is awaited. We pay nothing here, so nothing can be paid twice.
 *
 * A request is `submitted` when its transaction is in a block, and `success` when that block is deep enough for its
 * value. A reorg before that makes it awaited again. A payment of a smaller amount or to another recipient completes
 * nothing. A swap that reverted is its `failure`; the user asks for a new quote to try again.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { SlowPoll } from "../../../ports/store/operations/SlowPoll.ts"
import { StoreNotices } from "../../../ports/store/operations/StoreNotices.ts"
import { DirectPaymentWatcher } from "../../../ports/chain/DirectPaymentWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { findAnyCurrency } from "../../domain/chain/Chain.ts"
import { usdFloor } from "../../domain/money/Currency.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import { isDeepEnough } from "../../domain/quote/assemble/TimeEstimate.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { carriesOut, failsToCarryOut } from "../../domain/transfer/payment/UserPayment.ts"
import type { UserPayment } from "../../domain/transfer/payment/UserPayment.ts"
import { isHalted } from "../deposits/halt/Halting.ts"
import { Followers } from "../following/Followers.ts"
import { after, again, lookUntil, whenMoved } from "../following/LookUntil.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { retryForever } from "../polling/RetryForever.ts"

/** How long after its quote a payment is looked for. Later ones are found on request (`Indexing`). */
const AWAITED = Duration.hours(24)

/** The transfer that a payment completes, if any. */
export const directPaymentOf = Effect.fnUntraced(function*(payment: UserPayment) {
  const transfers = yield* Transfers
  const transfer = yield* transfers.findByOrder(payment.orderId)
  return transfer !== undefined && (carriesOut(payment, transfer) || failsToCarryOut(payment, transfer))
    ? transfer
    : undefined
})

const move = Effect.fnUntraced(function*({ id }: Transfer, path: ReadonlyArray<Status>) {
  const transfers = yield* Transfers
  for (const to of path) yield* transfers.move(id, { to, at: yield* Clock.currentTimeMillis })
})

/** The user's transaction reverted, so nothing moved and there is nothing to refund. */
const fail = Effect.fnUntraced(function*({ id }: Transfer) {
  const transfers = yield* Transfers
  yield* transfers.move(id, { to: "failure", failReason: "TRANSACTION_REVERTED", at: yield* Clock.currentTimeMillis })
})

/** Reads the chain after the cursor. True when the cursor has moved. */
const scan = Effect.fnUntraced(function*(chain: Chain, from: Cursor) {
  const directPayments = yield* DirectPayments
  const watcher = yield* DirectPaymentWatcher
  const { cursor, payments } = yield* watcher.scan(chain, from)
  const known: Array<SeenDirectPayment> = []
  for (const payment of payments) {
    if ((yield* directPaymentOf(payment)) !== undefined) known.push(payment)
  }
  const hasMoved = cursor.height !== from.height || cursor.hash !== from.hash
  if (!hasMoved && known.length === 0) return false
  yield* directPayments.record(chain.id, cursor, known)
  yield* directPayments.rest(chain.id, (yield* Clock.currentTimeMillis) - Duration.toMillis(AWAITED))
  return hasMoved
})

const transferOf = Effect.fnUntraced(function*(orderId: OrderId) {
  const transfers = yield* Transfers
  return yield* transfers.findByOrder(orderId)
})

/** True when the block is deep enough for the value of the payment. */
const isDeep = Effect.fnUntraced(function*(chain: Chain, { terms }: Transfer, confirmations: number, final: boolean) {
  const currency = findAnyCurrency(chain, terms.originCurrency)
  if (final || currency === undefined) return final
  const prices = yield* Prices
  return isDeepEnough(chain, usdFloor(terms.amountIn, yield* prices.priceOf(currency)), confirmations, final)
})

/** What a reading says of a payment: it is `lost` when no block has it any more, and `early` while it is not deep. */
const readAgain = Effect.fnUntraced(
  function*(chain: Chain, transfer: Transfer, { block, transactionId }: SeenDirectPayment, by: ReadBy) {
    const watcher = yield* DirectPaymentWatcher
    const standing = yield* watcher.lookAgain(chain, transactionId, block, by)
    const failed = standing !== undefined && failsToCarryOut(standing.payment, transfer)
    if (standing === undefined || !(failed || carriesOut(standing.payment, transfer))) return "lost"
    if (!(yield* isDeep(chain, transfer, standing.confirmations, standing.final))) return "early"
    return failed ? "failed" : "done"
  }
)

/** SECURITY: a request ends, or is awaited again, only as the quorum shows its payment (QUORUM-10). */
const settle = Effect.fnUntraced(function*(chain: Chain, seen: SeenDirectPayment) {
  const directPayments = yield* DirectPayments
  const { orderId } = seen
  const transfer = yield* transferOf(orderId)
  if (transfer === undefined) return
  yield* Effect.annotateLogsScoped({ requestId: transfer.id, chain: chain.slug })
  yield* move(transfer, ["pending", "submitted"])
  const first = yield* readAgain(chain, transfer, seen, "endpoint")
  const read = first === "early" ? first : yield* readAgain(chain, transfer, seen, "quorum")
  if (read === "early") return
  if (read === "lost") return yield* directPayments.lose(orderId)
  if (read === "failed") yield* fail(transfer)
  else yield* move(transfer, ["success"])
  yield* directPayments.settle(orderId)
  yield* Effect.logInfo(read === "failed" ? "the user's swap was undone by its chain" : "the send is settled")
}, Effect.scoped)

/** Nothing is settled while the chain is halted. True when any payment is not settled yet. */
const settleAll = Effect.fnUntraced(function*(chain: Chain) {
  const directPayments = yield* DirectPayments
  const unsettled = yield* directPayments.unsettled(chain.id)
  if (unsettled.length === 0) return false
  yield* (yield* Followers).seen(chain, "waits")
  if (!(yield* isHalted([chain.id]))) yield* Effect.forEach(unsettled, (seen) => settle(chain, seen), { discard: true })
  return true
})

/** One look at a chain, and what the next one waits for: undefined when nothing is awaited on it. */
const look = Effect.fnUntraced(function*(chain: Chain) {
  const directPayments = yield* DirectPayments
  const from = yield* directPayments.cursor(chain.id)
  // What is settled relies on the chain's final blocks.
  if (from !== undefined) yield* (yield* Followers).seen(chain, "waits")
  const hasMoved = from !== undefined && (yield* scan(chain, from))
  const isSettling = yield* settleAll(chain)
  if (hasMoved) return after(pollInterval(chain))
  return from === undefined && !isSettling ? undefined : whenMoved
})

/** A chain on which nothing is awaited is not asked, nor is the store, until a notice comes, or the slow poll. */
const watch = Effect.fnUntraced(function*(chain: Chain) {
  const notices = yield* StoreNotices
  const slowly = yield* SlowPoll
  return yield* lookUntil(chain, () =>
    Effect.gen(function*() {
      // Before the store is read: what is written meanwhile is read by the next look.
      const heard = yield* notices.heard("direct-payments")
      const next = yield* look(chain).pipe(retryForever(`sends on ${chain.slug}`))
      if (next !== undefined) return next
      yield* Effect.timeoutOption(notices.after("direct-payments", heard), slowly)
      return again
    }), "watches")
})

export const layer = Layer.effectDiscard(Effect.gen(function*() {
  const chains = yield* Chains
  yield* Effect.forEach(chains.all, (chain) => Effect.forkScoped(watch(chain)), { discard: true })
}))
