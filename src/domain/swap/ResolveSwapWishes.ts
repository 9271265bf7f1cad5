/**
 * A request's wishes for swap sources (REQUEST-22): which ones, on which side, and whether the preference counts.
 *
 * An omitted or empty list allows everything; an excluded source is excluded on both sides.
 */
import * as Result from "effect/Result"
import type { Chain } from "../chain/Chain.ts"
import { allOf, passAll } from "../quote/request/GatherFaults.ts"
import type { Checked } from "../quote/request/GatherFaults.ts"
import type { QuoteRequest } from "../quote/request/QuoteRequest.ts"
import { refuseField } from "../quote/request/RequestRules.ts"
import { SwapSourceId } from "./SwapSource.ts"
import type { SwapSource } from "./SwapSource.ts"
import type { SwapSide, SwapWishes } from "./SwapWishes.ts"

const isKnown = (name: string): name is SwapSourceId => SwapSourceId.literals.some((id) => id === name)

type SourceList =
  | "includedSwapSources"
  | "excludedSwapSources"
  | "includedOriginSwapSources"
  | "includedDestinationSwapSources"

const namesOf = (request: QuoteRequest, field: SourceList): Checked<ReadonlyArray<SwapSourceId>> =>
  allOf((request[field] ?? []).map((name, index) =>
    isKnown(name)
      ? Result.succeed(name)
      : refuseField(
        "INVALID_REQUEST",
        `${field}.${index}`,
        `there is no swap source of this name; there are ${SwapSourceId.literals.join(", ")}`
      )
  ))

/** INVALID_REQUEST for a name that is not a source's. */
export const resolveSwapWishes = (request: QuoteRequest): Checked<SwapWishes> =>
  Result.gen(function*() {
    const lists = {
      included: namesOf(request, "includedSwapSources"),
      excluded: namesOf(request, "excludedSwapSources"),
      onOrigin: namesOf(request, "includedOriginSwapSources"),
      onDestination: namesOf(request, "includedDestinationSwapSources")
    }
    yield* passAll(Object.values(lists))
    const { excluded, included, onDestination, onOrigin } = yield* Result.all(lists)
    const allows = (list: ReadonlyArray<SwapSourceId>, id: SwapSourceId) => list.length === 0 || list.includes(id)
    const allowed = (side: ReadonlyArray<SwapSourceId>) =>
      SwapSourceId.literals.filter((id) => allows(included, id) && allows(side, id) && !excluded.includes(id))
    return {
      allowed: { origin: allowed(onOrigin), destination: allowed(onDestination) },
      noOriginSwaps: request.disableOriginSwaps ?? false,
      noPreference: request.disableSwapProviderPreference ?? false,
      mostHops: request.maxRouteLength,
      sharedAccounts: request.useSharedAccounts ?? false
    }
  })

/** The sources of a chain that a request allows on this side. */
export const allowedSources = (
  { swaps }: Chain,
  { allowed, noOriginSwaps }: SwapWishes,
  side: SwapSide
): ReadonlyArray<SwapSource> =>
  swaps === undefined || (side === "origin" && noOriginSwaps)
    ? []
    : swaps.sources.filter(({ id }) => allowed[side].includes(id))
