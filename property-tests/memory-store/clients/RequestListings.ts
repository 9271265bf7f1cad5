/** The port `RequestListings` in memory. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RequestListings } from "../../../ports/store/clients/RequestListings.ts"
import type { ListingFilter } from "../../../ports/store/clients/RequestListings.ts"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { utcDay } from "../../../src/domain/calendar/Day.ts"
import { MicroUsdc } from "../../../src/domain/ledger/MicroUsdc.ts"
import type { Position } from "../../../src/domain/timeline/history/Continuation.ts"
import type { DayCapture, DayCount, DayCounts } from "../../../src/domain/timeline/history/Summary.ts"
import { isSponsored } from "../../../src/domain/transfer/IsSponsored.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending, descending } from "../Ordering.ts"
import type { Tables } from "../Tables.ts"

const isListed = (transfer: Transfer, { sponsored, status, users }: ListingFilter): boolean =>
  (status === undefined || transfer.status === status) &&
  (users === undefined || users.includes(transfer.terms.user)) &&
  (sponsored === undefined || isSponsored(transfer) === sponsored)

const page = (
  { transfersOfKey }: Tables,
  key: ApiKeyId,
  filter: ListingFilter,
  after: Position | undefined,
  limit: number
): ReadonlyArray<Transfer> =>
  transfersOfKey(key).filter((transfer) =>
    isListed(transfer, filter) && (after === undefined || transfer.quotedAt < after.at ||
      (transfer.quotedAt === after.at && transfer.id < after.id))
  ).toSorted(descending(({ quotedAt }) => quotedAt, ({ id }) => id)).slice(0, limit)

/** What sponsors paid for each request: `capture:<request>:…` is the id of what was captured. */
const capturedByRequest = ({ entries, movements }: Tables): ReadonlyMap<string, bigint> => {
  const captured = new Map<string, bigint>()
  for (const { account, movement, units } of entries.all()) {
    if (account._tag !== "Revenue" || movements.get(movement)?.transaction.kind !== "capture") continue
    const [, request = ""] = movement.split(":")
    captured.set(request, (captured.get(request) ?? 0n) + units)
  }
  return captured
}

const countDays = (tables: Tables, key: ApiKeyId, first: number, last: number): DayCounts => {
  const byRequest = capturedByRequest(tables)
  const counts = new Map<string, DayCount>()
  const captures = new Map<number, DayCapture>()
  for (const transfer of tables.transfersOfKey(key)) {
    const day = utcDay(transfer.quotedAt)
    if (day < first || day > last) continue
    const { status } = transfer
    const place = `${day} ${status}`
    const before = counts.get(place) ?? { day, status, requests: 0, sponsoredRequests: 0 }
    counts.set(place, {
      ...before,
      requests: before.requests + 1,
      sponsoredRequests: before.sponsoredRequests + (isSponsored(transfer) ? 1 : 0)
    })
    const units = byRequest.get(transfer.id) ?? 0n
    if (units > 0n) captures.set(day, { day, captured: MicroUsdc((captures.get(day)?.captured ?? 0n) + units) })
  }
  return {
    requests: [...counts.values()].toSorted(ascending(({ day }) => day, ({ status }) => status)),
    captured: [...captures.values()].toSorted(ascending(({ day }) => day))
  }
}

export const layer = Layer.effect(
  RequestListings,
  Effect.map(MemoryStore, ({ call }) =>
    RequestListings.of({
      page: (...listed) => call("RequestListings.page", (tables) => page(tables, ...listed)),
      countDays: (...days) => call("RequestListings.countDays", (tables) => countDays(tables, ...days))
    }))
)
