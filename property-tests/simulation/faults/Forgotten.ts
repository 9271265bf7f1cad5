/**
 * What a backup that was restored does not know. What was quoted since, nobody can restore: its deposits stay where they
 * are, and its payments are reported to operators. Which payments were refunds, the restored store finds out again.
 */
import { Effect, Schema } from "effect"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Books } from "../Books.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"

const decodeOrderId = Schema.decodeUnknownSync(OrderId)

export interface Forgotten {
  /** False until a backup is in the store's place. */
  readonly isRestored: () => boolean
  readonly orders: ReadonlySet<string>
  readonly requests: ReadonlySet<string>
  /** Transactions that are refunds or excesses, as the books of the lost store said. */
  readonly refunds: ReadonlySet<string>
  /** Transactions that an alarm has named as payments which no record explains. */
  readonly reported: () => ReadonlySet<string>
}

interface Quoted {
  readonly orders: () => ReadonlyArray<string>
  readonly requests: () => ReadonlyArray<RequestId>
  readonly books: Effect.Effect<Books>
  /** What the service has logged. */
  readonly log: ReadonlyArray<string>
}

const reportedIn = (line: string): ReadonlyArray<string> => {
  const [, id] = /(\w+) on \w+ paid .* no record of this store explains/u.exec(line) ?? []
  return id === undefined ? [] : [id]
}

/** The books call it a refund, or an excess beside a fill. */
export const isReturn = ({ leg }: Books["payments"][number]): boolean =>
  leg.startsWith("refund") || leg.startsWith("excess")

export const makeForgotten = ({ books, log, orders, requests }: Quoted) => {
  const [lostOrders, lostRequests, refunds] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const reported = new Set<string>()
  /** So many lines of the log. */
  let read = 0
  let isRestored = false
  const forgotten: Forgotten = {
    isRestored: () => isRestored,
    orders: lostOrders,
    requests: lostRequests,
    refunds,
    reported: () => {
      for (const line of log.slice(read)) for (const id of reportedIn(line)) reported.add(id)
      read = log.length
      return reported
    }
  }
  /** For a store that is about to be lost. */
  const remember = Effect.map(books, ({ payments }) => {
    for (const payment of payments) if (isReturn(payment)) refunds.add(payment.transaction_id)
  })
  /** For a store that was just restored. Needs its ports. */
  const look = Effect.gen(function*() {
    isRestored = true
    const [transfers, pauses] = [yield* Transfers, yield* Pauses]
    for (const orderId of orders()) {
      if ((yield* transfers.findByOrder(decodeOrderId(orderId))) === undefined) lostOrders.add(orderId)
    }
    for (const requestId of requests()) {
      if ((yield* transfers.find(requestId)) === undefined) lostRequests.add(requestId)
    }
    // An operator sees in the overview which pauses are back, and resumes them.
    for (const { id, scope } of yield* pauses.all) if (scope._tag !== "Halt") yield* pauses.remove(id)
  }).pipe(Effect.orDie)
  return { forgotten, look, remember }
}
