/** The requests of one API key as lists and sums: never those of another. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Position } from "../../../src/domain/timeline/history/Continuation.ts"
import type { DayCount } from "../../../src/domain/timeline/history/Summary.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** What a listing is narrowed down to; what is absent narrows nothing. */
export interface ListingFilter {
  readonly status?: Status
  /** Any of these, the spellings of one account on the families that are served. */
  readonly users?: ReadonlyArray<Address>
  readonly sponsored?: boolean
}

export class RequestListings extends Context.Service<RequestListings, {
  /**
   * Newest first, from after a position on; a row's place never changes, so that no write moves a row to another page.
   */
  readonly page: (
    key: ApiKeyId,
    filter: ListingFilter,
    after: Position | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Transfer>, StoreUnavailable>
  /**
   * Requests quoted from the first day to the last, both included, by day and state; days are those of UTC since the
   * epoch.
   */
  readonly countDays: (
    key: ApiKeyId,
    first: number,
    last: number
  ) => Effect.Effect<ReadonlyArray<DayCount>, StoreUnavailable>
}>()("causeway/ports/RequestListings") {}
