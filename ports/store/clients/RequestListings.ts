/** The requests of one API key as lists and sums, never those of another key. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Position } from "../../../src/domain/timeline/history/Continuation.ts"
import type { DayCounts } from "../../../src/domain/timeline/history/Summary.ts"
import type { Status } from "../../../src/domain/transfer/Status.ts"
import type { Transfer } from "../../../src/domain/transfer/Transfer.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The filters of a listing. A filter that is absent does not restrict it. */
export interface ListingFilter {
  readonly status?: Status
  /** Any of these addresses: the spellings of one account in the families that are served. */
  readonly users?: ReadonlyArray<Address>
  readonly sponsored?: boolean
}

/** Pages and daily counts of one API key's requests. */
export class RequestListings extends Context.Service<RequestListings, {
  /**
   * Newest first, starting after a position. A row's position never changes, so no write moves a row to another page.
   */
  readonly page: (
    key: ApiKeyId,
    filter: ListingFilter,
    after: Position | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Transfer>, StoreUnavailable>
  /**
   * Counts requests by day and state, and what was captured for them by day, from the first day to the last, both
   * included. Days without are left out, the others in their order. Days are UTC days since the epoch.
   */
  readonly countDays: (
    key: ApiKeyId,
    first: number,
    last: number
  ) => Effect.Effect<DayCounts, StoreUnavailable>
}>()("causeway/ports/RequestListings") {}
