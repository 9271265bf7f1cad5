/**
 * What is paused: by an operator a chain, a currency of a chain, or a route (SAFE-9, CHAIN_DISABLED); by the service
 * itself a chain on which a final block was replaced.
 *
 * An operator's pause refuses new quotes and nothing else: what was quoted and paid is carried through. A halt stops
 * that too. An id says what a pause is for, so that pausing twice is pausing once.
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
  Schema.TaggedStruct("Route", { origin: RouteEnd, destination: RouteEnd }),
  /** The block at this height was final with one hash, and then the chain had another one there. */
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
    case "Halt":
      return `halt:${scope.chainId}`
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
    case "Halt":
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

/** The halt of a chain; undefined while it may be used. */
export const haltOf = (pauses: ReadonlyArray<Pause>, chainId: ChainId): Pause | undefined =>
  pauses.find(({ scope }) => scope._tag === "Halt" && scope.chainId === chainId)

/** True when a whole chain is paused, by an operator or because it is halted. */
export const isChainPaused = (pauses: ReadonlyArray<Pause>, chainId: ChainId): boolean =>
  pauses.some(({ scope }) => (scope._tag === "Chain" || scope._tag === "Halt") && scope.chainId === chainId)
