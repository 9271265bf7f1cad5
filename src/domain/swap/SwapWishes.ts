/** A request's wishes for swap sources, resolved (REQUEST-22): `ResolveSwapWishes.ts` reads them. */
import type { SwapSourceId } from "./SwapSource.ts"

/** On which chain of a route the swap is made. */
export type SwapSide = "origin" | "destination"

export interface SwapWishes {
  /** The allowed sources for each side, to be intersected with those of the chain. */
  readonly allowed: Readonly<Record<SwapSide, ReadonlyArray<SwapSourceId>>>
  readonly noOriginSwaps: boolean
  readonly noPreference: boolean
  /** For routes on Solana. */
  readonly mostHops: number | undefined
  readonly sharedAccounts: boolean
}
