/** The requests that a wallet's app balance paid for, for sums of its costs. Reads only. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { SponsoredRequest } from "../../../src/domain/sponsorship/SponsoredCosts.ts"
import type { StoreUnavailable } from "../StoreUnavailable.ts"

/** The requests that a wallet has sponsored, with their costs. */
export class SponsoredRequests extends Context.Service<SponsoredRequests, {
  /**
   * Those whose sponsorship is complete and whose money was held from `from`, inclusive, to `to`, exclusive; the newest
   * first, at most `limit`. Milliseconds.
   */
  readonly paidBy: (
    wallet: Address,
    from: number,
    to: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<SponsoredRequest>, StoreUnavailable>
}>()("causeway/ports/SponsoredRequests") {}
