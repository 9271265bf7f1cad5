/** The port `UnpaidQuotes` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { UnpaidQuotes } from "../../../ports/store/operations/UnpaidQuotes.ts"
import type { UnpaidQuote } from "../../../src/domain/transfer/Retention.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

/** Quotes that wait for a deposit, the oldest first, from a place on. */
export const waitingQuotes = (
  { transfers }: Tables,
  quotedBefore: number,
  after: Pick<UnpaidQuote, "id" | "quotedAt"> | undefined
): ReadonlyArray<Transfer> =>
  transfers.all().filter(({ id, quotedAt, status }) =>
    status === "waiting" && quotedAt < quotedBefore &&
    (after === undefined || quotedAt > after.quotedAt || (quotedAt === after.quotedAt && id > after.id))
  ).toSorted(ascending(({ quotedAt }) => quotedAt, ({ id }) => id))

/** Nothing was ever recorded for it. */
const isUnpaid = (tables: Tables, { orderId, status, terms }: Transfer): boolean => {
  const direct = tables.directPayments.get(orderId)
  return status === "waiting" && terms.depositAddress === undefined && tables.depositsOfOrder(orderId).length === 0 &&
    tables.paymentsOfOrder(orderId).length === 0 && (direct === undefined || direct.state === "awaited") &&
    tables.permitsOfOrder(orderId).every(({ state }) => state === "void")
}

const forget = (tables: Tables, ids: ReadonlyArray<RequestId>): number => {
  const gone = [...new Set(ids)].flatMap((id) => tables.transfers.get(id) ?? []).filter((transfer) =>
    isUnpaid(tables, transfer)
  )
  for (const { id, orderId } of gone) {
    tables.events.remove(id)
    tables.directPayments.remove(orderId)
    tables.transfers.remove(id)
  }
  return gone.length
}

export const layer = Layer.effect(
  UnpaidQuotes,
  Effect.map(MemoryStore, ({ call }) =>
    UnpaidQuotes.of({
      list: (quotedBefore, after, limit) =>
        call("UnpaidQuotes.list", (tables) =>
          waitingQuotes(tables, quotedBefore, after).filter(({ terms }) =>
            terms.depositAddress === undefined
          ).slice(
            0,
            limit
          ).map(({ id, order, quotedAt, terms }) => ({ id, quotedAt, order, terms }))),
      forget: (ids) => call("UnpaidQuotes.forget", (tables) => forget(tables, ids))
    }))
)
