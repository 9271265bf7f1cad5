/**
 * Quotes that nobody has paid, to be forgotten once they are old (SAFE-10). What may go and when is the domain's to
 * say.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { UnpaidQuote } from "../../../src/domain/transfer/Retention.ts"
import type { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

export class UnpaidQuotes extends Context.Service<UnpaidQuotes, {
  /**
   * The oldest that were quoted before a time (milliseconds) and come after `after`, in the order of their times. None
   * with a deposit address.
   */
  readonly list: (
    quotedBefore: number,
    after: Pick<UnpaidQuote, "id" | "quotedAt"> | undefined,
    limit: number
  ) => Effect.Effect<ReadonlyArray<UnpaidQuote>, StoreUnavailable>
  /**
   * Forgets those of them that are unpaid still: a quote with a deposit address, or for which a deposit, a payment or a
   * user's own payment was ever recorded, or whose permit is queued or done, stays, also one that is recorded at the
   * same time. Answers how many went.
   */
  readonly forget: (ids: ReadonlyArray<RequestId>) => Effect.Effect<number, StoreUnavailable>
}>()("causeway/ports/UnpaidQuotes") {}
