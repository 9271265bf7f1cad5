/**
 * Pauses and resumes by operators, and the refusal of paused routes (SAFE-9).
 *
 * Every quote asks the store, so a pause holds in every process from the moment when the operator has the answer. When
 * the store does not answer, nothing is quoted.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Chains } from "../../../ports/chain/Chains.ts"
import type { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import type { CurrencyAddress } from "../../domain/chain/Address.ts"
import { findAnyCurrency, findChain, findSwapCurrency } from "../../domain/chain/Chain.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import type { ChainId } from "../../domain/chain/ChainId.ts"
import { findPause, pauseId } from "../../domain/pause/Pause.ts"
import type { Pause, PauseScope, RouteEnd } from "../../domain/pause/Pause.ts"
import type { Currency } from "../../domain/money/Currency.ts"
import { bridgedCurrency } from "../../domain/swap/DestinationSwap.ts"
import { QuoteRefused } from "../../domain/quote/QuoteError.ts"
import { CheckedConfiguration, refuseUnservingNow } from "./CheckedConfiguration.ts"
import { spanned } from "../../../ports/Spanned.ts"

/** The pause names something that is not served: probably a typing error, which must not pass silently. */
export class PauseRefused
  extends Data.TaggedError("PauseRefused")<{ readonly field: string; readonly message: string }>
{}

/** An end of a route as an operator names it: the currency in any spelling, or the whole chain. */
export interface NamedEnd {
  readonly chainId: ChainId
  readonly currency?: string | undefined
}

/** A scope as an operator names it, before it is resolved. */
export type NamedScope =
  | { readonly kind: "chain"; readonly chainId: ChainId }
  | { readonly kind: "currency"; readonly chainId: ChainId; readonly currency: string }
  | { readonly kind: "route"; readonly origin: NamedEnd; readonly destination: NamedEnd }

/** The route of a requested quote, before anything else of it is known. */
export interface AskedRoute {
  readonly originChainId: ChainId
  readonly originCurrency: string
  readonly destinationChainId: ChainId
  readonly destinationCurrency: string
}

export class Pausing extends Context.Service<Pausing, {
  readonly pause: (scope: NamedScope, reason: string) => Effect.Effect<Pause, PauseRefused | StoreUnavailable>
  readonly all: Effect.Effect<ReadonlyArray<Pause>, StoreUnavailable>
  /** False when there is no pause with this id. */
  readonly resume: (id: string) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Fails with CHAIN_DISABLED when the route is paused or a chain contradicts its configuration. Fails as an
   * unavailable chain while the configuration could not be compared. Chains that are not served are handled elsewhere.
   */
  readonly refusePaused: (route: AskedRoute) => Effect.Effect<void, ChainUnavailable | QuoteRefused | StoreUnavailable>
}>()("causeway/services/Pausing") {}

export const layer = Layer.effect(
  Pausing,
  Effect.gen(function*() {
    const chains = yield* Chains
    const pauses = yield* Pauses
    const checked = yield* CheckedConfiguration
    const clock = yield* Clock.Clock

    const currencyOf = (chainId: ChainId, text: string): Currency | undefined => {
      const chain = findChain(chains.all, chainId)
      const parsed = chain === undefined ? undefined : chain.family.addresses(chain.network).parseCurrency(text)
      return chain === undefined || parsed === undefined || Result.isFailure(parsed)
        ? undefined
        : findAnyCurrency(chain, parsed.success)
    }

    /** The currency in which the transfer ends, and the currency that the solver pays before a swap in the fill. */
    const endsOf = (from: Currency, to: Currency): ReadonlyArray<CurrencyAddress> => {
      const chain = findChain(chains.all, to.chainId)
      const isSwapped = chain !== undefined && from.chainId !== to.chainId &&
        findSwapCurrency(chain, to.address) !== undefined
      const bridged = isSwapped ? bridgedCurrency(from, chain) : undefined
      return bridged === undefined ? [to.address] : [to.address, bridged.address]
    }

    const served = Effect.fnUntraced(function*(field: string, { chainId, currency }: NamedEnd) {
      yield* Effect.fromResult(servedChain(chains.all, chainId)).pipe(
        Effect.mapError(({ message }) => new PauseRefused({ field: `${field}ChainId`, message }))
      )
      if (currency === undefined) return { chainId }
      const address = currencyOf(chainId, currency)?.address
      return address === undefined
        ? yield* new PauseRefused({
          field: `${field}Currency`,
          message: `this currency of chain ${chainId} is not served here`
        })
        : { chainId, currency: address }
    })

    const scopeOf = Effect.fnUntraced(function*(named: NamedScope) {
      if (named.kind === "route") {
        const [origin, destination]: readonly [RouteEnd, RouteEnd] = [
          yield* served("origin", named.origin),
          yield* served("destination", named.destination)
        ]
        return { _tag: "Route", origin, destination } satisfies PauseScope
      }
      const { chainId, currency } = yield* served("", named)
      return currency === undefined
        ? { _tag: "Chain", chainId } satisfies PauseScope
        : { _tag: "Currency", chainId, currency } satisfies PauseScope
    })

    const pause: Pausing["Service"]["pause"] = Effect.fn("Pausing.pause")(function*(named, reason) {
      const scope = yield* scopeOf(named)
      const kept = yield* pauses.add({ id: pauseId(scope), scope, reason, createdAt: yield* Clock.currentTimeMillis })
      yield* Effect.logWarning(`paused ${kept.id}`)
      return kept
    })

    const resume: Pausing["Service"]["resume"] = Effect.fn("Pausing.resume")(function*(id) {
      const resumed = yield* pauses.remove(id)
      if (resumed) yield* Effect.logWarning(`resumed ${id}`)
      return resumed
    })

    const refusePaused: Pausing["Service"]["refusePaused"] = Effect.fnUntracedEager(function*(asked) {
      const held = yield* pauses.all
      const origin = currencyOf(asked.originChainId, asked.originCurrency)
      const destination = currencyOf(asked.destinationChainId, asked.destinationCurrency)
      if (origin === undefined || destination === undefined) return
      yield* refuseUnservingNow(checked, [
        { chainId: asked.originChainId, currencies: [origin.address] },
        { chainId: asked.destinationChainId, currencies: endsOf(origin, destination) }
      ], clock.currentTimeMillisUnsafe())
      const [found] = endsOf(origin, destination).flatMap((currency) =>
        findPause(held, {
          origin: { chainId: asked.originChainId, currency: origin.address },
          destination: { chainId: asked.destinationChainId, currency }
        }) ?? []
      )
      if (found === undefined) return
      const what = {
        Chain: "a chain of this transfer is paused by the operator",
        Currency: "a currency of this transfer is paused by the operator",
        Route: "this route is paused by the operator",
        Halt: "a chain of this transfer is halted, because a final block of it was replaced"
      }[found.scope._tag]
      return yield* new QuoteRefused({ code: "CHAIN_DISABLED", message: `${what}: try again later` })
    }, spanned("Pausing.refusePaused"))

    return Pausing.of({ pause, all: pauses.all, resume, refusePaused })
  })
)
