/**
 * A request's wishes for swap sources (REQUEST-22): which ones, on which side, and whether the preference counts.
 *
 * An omitted or empty list allows everything; an excluded source is excluded on both sides.
 */
import * as Result from "effect/Result"
import type { Chain } from "../chain/Chain.ts"
import { allOf, gatherFaults } from "../quote/request/GatherFaults.ts"
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

const allows = (list: ReadonlyArray<SwapSourceId>, id: SwapSourceId) => list.length === 0 || list.includes(id)

/** INVALID_REQUEST for a name that is not a source's. */
export const resolveSwapWishes = (request: QuoteRequest): Checked<SwapWishes> => {
  const included = namesOf(request, "includedSwapSources")
  const excluded = namesOf(request, "excludedSwapSources")
  const onOrigin = namesOf(request, "includedOriginSwapSources")
  const onDestination = namesOf(request, "includedDestinationSwapSources")
  if (
    Result.isFailure(included) || Result.isFailure(excluded) || Result.isFailure(onOrigin) ||
    Result.isFailure(onDestination)
  ) return Result.fail(gatherFaults([included, excluded, onOrigin, onDestination]))
  const allowed = (side: ReadonlyArray<SwapSourceId>) =>
    SwapSourceId.literals.filter((id) =>
      allows(included.success, id) && allows(side, id) && !excluded.success.includes(id)
    )
  return Result.succeed({
    allowed: { origin: allowed(onOrigin.success), destination: allowed(onDestination.success) },
    noOriginSwaps: request.disableOriginSwaps ?? false,
    noPreference: request.disableSwapProviderPreference ?? false,
    mostHops: request.maxRouteLength,
    sharedAccounts: request.useSharedAccounts ?? false
  })
}

/** The sources of a chain that a request allows on this side. */
export const allowedSources = (
  { swaps }: Chain,
  { allowed, noOriginSwaps }: SwapWishes,
  side: SwapSide
): ReadonlyArray<SwapSource> =>
  swaps === undefined || (side === "origin" && noOriginSwaps)
    ? []
    : swaps.sources.filter(({ id }) => allowed[side].includes(id))
