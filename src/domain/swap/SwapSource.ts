/**
 * Where currencies of a chain are swapped: named sources, each with the contracts for its quotes and swaps.
 *
 * A source's router and quoter know their factory themselves; it is not configured a second time, where it could
 * differ.
 */
import * as Schema from "effect/Schema"
import type { Address } from "../chain/Address.ts"
import type { Bps } from "../money/Bps.ts"
import type { Currency } from "../money/Currency.ts"

/** Every source that has an adapter. */
export const SwapSourceId = Schema.Literals(["uniswap-v3", "uniswap-v2", "jupiter"])
export type SwapSourceId = typeof SwapSourceId.Type

export type SwapSource =
  | { readonly id: "uniswap-v2"; readonly router: Address }
  /** `feeTiers` in hundredths of a basis point: the pools that are asked. */
  | {
    readonly id: "uniswap-v3"
    readonly router: Address
    readonly quoter: Address
    readonly feeTiers: ReadonlyArray<number>
  }
  /**
   * `router` is the program that swaps on Solana. Routes come from a server with that source's interface, and nothing
   * that it says is trusted.
   */
  | { readonly id: "jupiter"; readonly router: Address }

/** A chain's swaps. */
export interface ChainSwaps {
  /** The token that represents the native currency in pools. */
  readonly wrapped: Address
  /**
   * The SwapDepositor, on Solana a program: swaps its sender's currency and deposits the output. Without it nothing is
   * swapped before a deposit.
   */
  readonly depositor?: Address
  /** Tokens that may be in the middle of a path of two pools. */
  readonly through: ReadonlyArray<Address>
  readonly sources: ReadonlyArray<SwapSource>
  /** The contract that passes the swap's output to the calls of a fill; without it no calls run after a swap. */
  readonly handover?: Address
  /** Chosen although another source gives more, as long as the difference is within this many basis points. */
  readonly preferred?: { readonly source: SwapSourceId; readonly withinBps: Bps }
  /** Currencies that the solver does not hold: a swap is the only way to and from them. */
  readonly currencies: ReadonlyArray<Currency>
}
