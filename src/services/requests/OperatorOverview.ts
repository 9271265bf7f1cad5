/** An operator's first view: inventory, reservations, exposure, and stuck requests with reasons. Read-only. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Due } from "../../../ports/chain/Due.ts"
import { Records } from "../../../ports/store/operations/Records.ts"
import { Restorations } from "../../../ports/store/operations/Restorations.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { RefundDecision } from "../../../ports/store/ledger/UnattestedRefunds.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { isLow } from "../../domain/market/LowWater.ts"
import { heldIn, holdingsOn } from "../quoting/market/Holdings.ts"
import type { Place } from "../quoting/market/Holdings.ts"
import { payingChains } from "../quoting/market/PayingChains.ts"
import { Policy } from "../operations/Policy.ts"
import { StuckRequests } from "../operations/StuckRequests.ts"
import type { StuckRefund, StuckRequest } from "../operations/StuckRequests.ts"

/** One currency of one holding on one chain, smallest units. */
export interface HeldInventory extends Place {
  /** Undefined when the chain does not answer. */
  readonly amount: bigint | undefined
  readonly promised: bigint
  readonly lowWater: bigint | undefined
  readonly low: boolean
}

/** Deposits of one chain that were acted on before they are final. */
export interface HeldExposure {
  readonly chain: Chain
  readonly deposits: number
  readonly usdMicros: bigint
}

/** What an operator sees first: money, exposure, and requests that do not end. */
export interface Overview {
  readonly inventory: ReadonlyArray<HeldInventory>
  readonly exposure: ReadonlyArray<HeldExposure>
  readonly stuck: ReadonlyArray<StuckRequest>
  /** Requests with a deposit that have not ended. */
  readonly unended: number
  /** Refunds that wait for room under UNATTESTED_REFUNDS_USD, the longest first. */
  readonly refundsHeld: ReadonlyArray<StuckRefund>
  /** Refunds that operators allowed in spite of it, newest first. */
  readonly refundsDecided: ReadonlyArray<RefundDecision>
  /** Chains on which nothing is paid until the payments since a backup are known. */
  readonly held: ReadonlyArray<Chain>
}

export class OperatorOverview extends Context.Service<OperatorOverview, {
  readonly look: Effect.Effect<Overview, StoreUnavailable>
}>()("causeway/services/OperatorOverview") {}

/** How many decisions are shown. */
const DECISIONS = 100

export const layer = Layer.effect(
  OperatorOverview,
  Effect.gen(function*() {
    const chains = yield* Chains
    const paying = yield* payingChains
    const records = yield* Records
    const restorations = yield* Restorations
    const treasury = yield* Treasury
    const stuck = yield* StuckRequests
    const unattested = yield* UnattestedRefunds
    const { lowWaterOf } = yield* Policy

    const held = Effect.fnUntraced(function*({ chain, currency, holding }: Place) {
      const amount = yield* heldIn({ chain, currency, holding }).pipe(
        Effect.provideService(Treasury, treasury),
        Effect.provideService(Due, true),
        Effect.orElseSucceed(() => undefined)
      )
      const promised = (yield* records.promised)
        .filter((each) => each.chainId === chain.id && each.currency === currency.address && each.holding === holding)
        .reduce((sum, each) => sum + each.amount, 0n)
      const lowWater = lowWaterOf(currency, holding)
      const low = amount !== undefined && lowWater !== undefined && isLow({ amount, mark: lowWater })
      return { chain, currency, holding, amount, promised, lowWater, low } satisfies HeldInventory
    })

    const look = Effect.gen(function*() {
      const inventory = yield* Effect.forEach(paying.flatMap(holdingsOn), held, { concurrency: 16 })
      const exposed = yield* records.exposed
      const open = yield* restorations.open
      const { overdue, refundsHeld, unended } = yield* stuck.look(yield* Clock.currentTimeMillis)
      const exposure = chains.all.map((chain): HeldExposure => {
        const own = exposed.filter(({ chainId }) => chainId === chain.id)
        return { chain, deposits: own.length, usdMicros: own.reduce((sum, { usdMicros }) => sum + usdMicros, 0n) }
      })
      return {
        inventory,
        exposure,
        stuck: overdue,
        unended,
        refundsHeld,
        refundsDecided: yield* unattested.decisions(DECISIONS),
        held: paying.filter(({ id }) => open.some(({ chainId }) => chainId === id))
      } satisfies Overview
    }).pipe(Effect.withSpan("Overviewing.look"))

    return OperatorOverview.of({ look })
  })
)
