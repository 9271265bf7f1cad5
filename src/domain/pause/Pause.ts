/**
 * What is paused (SAFE-9, CHAIN_DISABLED). An operator pauses a chain, a currency of a chain, or a route. The service
 * itself halts a chain on which a final block was replaced.
 *
 * An operator's pause only refuses new quotes: quoted and paid transfers are completed. A halt stops these, too. A
 * pause's id is derived from its scope, so pausing twice has no further effect.
 */
import * as Schema from "effect/Schema"
import { CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"

/** One end of a route: a whole chain, or one currency of it. */
export const RouteEnd = Schema.Struct({ chainId: ChainId, currency: Schema.optionalKey(CurrencyAddress) })
export type RouteEnd = typeof RouteEnd.Type

/** What is stopped. A halt stops its chain, and remembers which final block was replaced. */
export const PauseScope = Schema.Union([
  Schema.TaggedStruct("Chain", { chainId: ChainId }),
  Schema.TaggedStruct("Currency", { chainId: ChainId, currency: CurrencyAddress }),
  Schema.TaggedStruct("Route", { origin: RouteEnd, destination: RouteEnd }),
  /** The block at this height was final with one hash, and was then replaced by another. */
  Schema.TaggedStruct("Halt", {
    chainId: ChainId,
    height: Schema.BigIntFromString,
    expected: Schema.String,
    found: Schema.String
  })
])
export type PauseScope = typeof PauseScope.Type

export interface Pause {
  readonly id: string
  readonly scope: PauseScope
  /** For operators. Never shown to users. */
  readonly reason: string
  /** Milliseconds. */
  readonly createdAt: number
}

const endId = ({ chainId, currency }: RouteEnd): string => `${chainId}:${currency ?? "all"}`

/** The id of a pause: the same for the same scope. */
export const pauseId = (scope: PauseScope): string => {
  switch (scope._tag) {
    case "Chain":
      return `chain:${scope.chainId}`
    case "Currency":
      return `currency:${scope.chainId}:${scope.currency}`
    case "Route":
      return `route:${endId(scope.origin)}:${endId(scope.destination)}`
    case "Halt":
      return `halt:${scope.chainId}`
  }
}

/** The two ends of a requested transfer. */
export interface Route {
  readonly origin: Required<RouteEnd>
  readonly destination: Required<RouteEnd>
}

const meets = (paused: RouteEnd, end: Required<RouteEnd>): boolean =>
  paused.chainId === end.chainId && (paused.currency === undefined || paused.currency === end.currency)

const stops = (scope: PauseScope, { destination, origin }: Route): boolean => {
  switch (scope._tag) {
    case "Chain":
    case "Halt":
      return scope.chainId === origin.chainId || scope.chainId === destination.chainId
    case "Currency":
      return meets(scope, origin) || meets(scope, destination)
    case "Route":
      return meets(scope.origin, origin) && meets(scope.destination, destination)
  }
}

/** The first pause that stops a route. Undefined when the route is open. */
export const findPause = (pauses: ReadonlyArray<Pause>, route: Route): Pause | undefined =>
  pauses.find(({ scope }) => stops(scope, route))

/** The halt of a chain. Undefined when there is none. */
export const haltOf = (pauses: ReadonlyArray<Pause>, chainId: ChainId): Pause | undefined =>
  pauses.find(({ scope }) => scope._tag === "Halt" && scope.chainId === chainId)

/** True when a whole chain is paused by an operator, or halted. */
export const isChainPaused = (pauses: ReadonlyArray<Pause>, chainId: ChainId): boolean =>
  pauses.some(({ scope }) => (scope._tag === "Chain" || scope._tag === "Halt") && scope.chainId === chainId)
