/** Unpaid quotes, which are deleted once they are old (SAFE-10). The domain decides what may be deleted and when. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { UnpaidQuote } from "../../../src/domain/transfer/Retention.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** Deletes quotes that nobody paid. One with a deposit stays. */
export class UnpaidQuotes extends Context.Service<UnpaidQuotes, {
  /**
   * The oldest quotes that were made before a time (milliseconds) and come after `after`, ordered by time. Quotes with
   * a deposit address are left out.
   */
  readonly list: (
    quotedBefore: number,
    after: Pick<UnpaidQuote, "id" | "quotedAt"> | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnpaidQuote>, StoreUnavailable>
  /**
   * Deletes those quotes that are still unpaid. A quote stays when it has a deposit address, when a deposit, a payment
   * or a user's own payment was ever recorded for it, or when its permit is queued or done; this includes records made
   * concurrently. Returns how many were deleted.
   */
  readonly forget: (ids: ReadonlyArray<RequestId>) => Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/UnpaidQuotes") {}
