/** A key's own requests (HISTORY-1): page by page, and totals by day or month. Read-only. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Chains } from "../../../ports/chain/Chains.ts"
import { RequestListings } from "../../../ports/store/clients/RequestListings.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import { dateOf, dayOf, utcDay } from "../../domain/calendar/Day.ts"
import { makeContinuation, readContinuation } from "../../domain/timeline/history/Continuation.ts"
import { summarise } from "../../domain/timeline/history/Summary.ts"
import type { PeriodKind, Summary } from "../../domain/timeline/history/Summary.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import { Statuses } from "./Statuses.ts"
import type { KnownTransfer } from "./Statuses.ts"

/** The query asks for something that does not exist; `message` tells its sender what. */
export class HistoryRefused
  extends Schema.TaggedError<HistoryRefused>()("HistoryRefused", { message: Schema.String })
{}

/** A page of a key's requests, with its filter (HISTORY-1). */
export interface AskedPage {
  readonly status?: Status
  /** The user's address, in any spelling. */
  readonly user?: string
  readonly sponsored?: boolean
  readonly continuation?: string
  readonly limit: number
}

/** Requests, newest first. */
export interface RequestsPage {
  readonly requests: ReadonlyArray<KnownTransfer>
  /** Absent after the last row. */
  readonly continuation?: string
}

/** Dates as `2026-11-21`, both included; 30 days up to `to` when `from` is absent, up to today when `to` is. */
export interface AskedSummary {
  readonly from?: string
  readonly to?: string
  readonly period: PeriodKind
}

/** A summary, and the days that it covers (HISTORY-4). */
export interface SummaryOfRange extends Summary {
  readonly from: string
  readonly to: string
}

/** The longest ranges: a year of days, five years of months. */
const MAX_DAYS: Readonly<Record<PeriodKind, number>> = { day: 366, month: 1_827 }

const USUAL_DAYS = 30

export class RequestHistory extends Context.Service<RequestHistory, {
  /** Newest first. Each request that existed when the first page was asked for is on exactly one page. */
  readonly page: (key: ApiKeyId, asked: AskedPage) => Effect.Effect<RequestsPage, HistoryRefused | StoreUnavailable>
  readonly summary: (
    key: ApiKeyId,
    asked: AskedSummary
  ) => Effect.Effect<SummaryOfRange, HistoryRefused | StoreUnavailable>
}>()("causeway/services/RequestHistory") {}

export const layer = Layer.effect(
  RequestHistory,
  Effect.gen(function*() {
    const chains = yield* Chains
    const listings = yield* RequestListings
    const statuses = yield* Statuses

    /** The accounts that a text can mean, by the rules of each served family. */
    const accountsOf = Effect.fnUntraced(function*(text: string) {
      const parsed = chains.all.map(({ family, network }) => family.addresses(network).parse(text))
      const accounts = [...new Set(parsed.filter(Result.isSuccess).map(({ success }) => success))]
      return accounts.length > 0
        ? accounts
        : yield* new HistoryRefused({ message: "user must be an address of a chain that is served" })
    })

    const positionOf = Effect.fnUntraced(function*(scope: string, continuation: string) {
      return readContinuation(scope, continuation) ??
        (yield* new HistoryRefused({
          message: "continuation must be that of an answer to the same query under the same key"
        }))
    })

    const page = Effect.fn("RequestHistory.page")(
      function*(key: ApiKeyId, { continuation, limit, sponsored, status, user }: AskedPage) {
        const users = user === undefined ? undefined : yield* accountsOf(user)
        const scope = JSON.stringify([key, status ?? null, users ?? null, sponsored ?? null])
        const after = continuation === undefined ? undefined : yield* positionOf(scope, continuation)
        const filter = {
          ...(status === undefined ? {} : { status }),
          ...(users === undefined ? {} : { users }),
          ...(sponsored === undefined ? {} : { sponsored })
        }
        // One more than is shown, to know whether there are more.
        const found = yield* listings.page(key, filter, after, limit + 1)
        const shown = found.slice(0, limit)
        const last = shown.at(-1)
        const requests = yield* Effect.forEach(shown, statuses.describe, { concurrency: 4 })
        return found.length <= limit || last === undefined
          ? { requests }
          : { requests, continuation: makeContinuation(scope, { at: last.quotedAt, id: last.id }) }
      }
    )

    const day = Effect.fnUntraced(function*(field: string, date: string | undefined, otherwise: number) {
      const asked = date === undefined ? otherwise : dayOf(date)
      return asked ?? (yield* new HistoryRefused({ message: `${field} must be a date such as 2026-11-21` }))
    })

    const summary = Effect.fn("RequestHistory.summary")(function*(key: ApiKeyId, asked: AskedSummary) {
      const last = yield* day("to", asked.to, utcDay(yield* Clock.currentTimeMillis))
      const first = yield* day("from", asked.from, last - USUAL_DAYS + 1)
      const most = MAX_DAYS[asked.period]
      if (first > last) return yield* new HistoryRefused({ message: "from must not be after to" })
      if (last - first >= most) {
        return yield* new HistoryRefused({ message: `at most ${most} days with period ${asked.period}` })
      }
      return {
        from: dateOf(first),
        to: dateOf(last),
        ...summarise(asked.period, yield* listings.countDays(key, first, last))
      }
    })

    return RequestHistory.of({ page, summary })
  })
)
