/** What a wallet's app balance paid for its keys' users, by day, key, component and route. Reads only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SponsoredRequests } from "../../../ports/store/ledger/SponsoredRequests.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { DAY_MS } from "../../domain/calendar/Day.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { sumCosts } from "../../domain/sponsorship/SponsoredCosts.ts"
import type { SponsoredCost } from "../../domain/sponsorship/SponsoredCosts.ts"

/** How many requests are summed up; the newest are. */
const MOST_REQUESTS = 5_000

/** The sponsored costs of a span of time. */
export interface CostsOfSpan {
  readonly costs: ReadonlyArray<SponsoredCost>
  /** False when there were more requests than are summed up: the oldest are left out. */
  readonly complete: boolean
}

export class SponsoredCosts extends Context.Service<SponsoredCosts, {
  /** From the first UTC day to the last, both included; days since the epoch. */
  readonly between: (wallet: Address, first: number, last: number) => Effect.Effect<CostsOfSpan, StoreUnavailable>
}>()("causeway/services/SponsoredCosts") {}

export const layer = Layer.effect(
  SponsoredCosts,
  Effect.map(SponsoredRequests, (requests) =>
    SponsoredCosts.of({
      between: Effect.fn("SponsoredCosts.between")(function*(wallet, first, last) {
        const found = yield* requests.paidBy(wallet, first * DAY_MS, (last + 1) * DAY_MS, MOST_REQUESTS + 1)
        return { costs: sumCosts(found.slice(0, MOST_REQUESTS)), complete: found.length <= MOST_REQUESTS }
      })
    }))
)
