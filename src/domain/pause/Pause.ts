/**
 * What an operator has paused: a chain, a currency of a chain, or a route (spec/3 §11, CHAIN_DISABLED).
 *
 * A pause refuses new quotes and nothing else: what was quoted and paid is carried through. Its id says what it is for,
 * so that pausing twice is pausing once.
 */
import * as Schema from "effect/Schema"
import { CurrencyAddress } from "../chain/Address.ts"
import { ChainId } from "../chain/ChainId.ts"

/** One end of a route: all of a chain, or one currency of it. */
export const RouteEnd = Schema.Struct({ chainId: ChainId, currency: Schema.optionalKey(CurrencyAddress) })
export type RouteEnd = typeof RouteEnd.Type

export const PauseScope = Schema.Union([
  Schema.TaggedStruct("Chain", { chainId: ChainId }),
  Schema.TaggedStruct("Currency", { chainId: ChainId, currency: CurrencyAddress }),
  Schema.TaggedStruct("Route", { origin: RouteEnd, destination: RouteEnd })
])
export type PauseScope = typeof PauseScope.Type

export interface Pause {
  readonly id: string
  readonly scope: PauseScope
  /** For operators; never shown to users. */
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
  }
}

/** The two ends of a transfer that is asked for. */
export interface Route {
  readonly origin: Required<RouteEnd>
  readonly destination: Required<RouteEnd>
}

const meets = (paused: RouteEnd, end: Required<RouteEnd>): boolean =>
  paused.chainId === end.chainId && (paused.currency === undefined || paused.currency === end.currency)

const stops = (scope: PauseScope, { destination, origin }: Route): boolean => {
  switch (scope._tag) {
    case "Chain":
      return scope.chainId === origin.chainId || scope.chainId === destination.chainId
    case "Currency":
      return meets(scope, origin) || meets(scope, destination)
    case "Route":
      return meets(scope.origin, origin) && meets(scope.destination, destination)
  }
}

/** The first pause that stops a route; undefined when it is open. */
export const findPause = (pauses: ReadonlyArray<Pause>, route: Route): Pause | undefined =>
  pauses.find(({ scope }) => stops(scope, route))
