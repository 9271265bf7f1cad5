/**
 * Where currencies of a chain are swapped: named sources, each with the contracts that its quotes and swaps go to.
 *
 * A source's router and quoter know their factory themselves; it is not said a second time, where it could differ.
 */
import * as Schema from "effect/Schema"
import type { Address } from "../chain/Address.ts"
import type { Bps } from "../money/Bps.ts"
import type { Currency } from "../money/Currency.ts"

/** Every source that there is an adapter for. */
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
   * `router` is the program that swaps on Solana; routes come from a server of its interface, which nothing is believed
   * of.
   */
  | { readonly id: "jupiter"; readonly router: Address }

/** A chain's swaps. */
export interface ChainSwaps {
  /** What stands for the native currency in pools. */
  readonly wrapped: Address
  /**
   * The SwapDepositor: swaps what its sender has, and deposits what comes out. Without it nothing is swapped before a
   * deposit.
   */
  readonly depositor?: Address
  /** Tokens that a path of two pools may go through. */
  readonly through: ReadonlyArray<Address>
  readonly sources: ReadonlyArray<SwapSource>
  /** The contract that what was swapped passes over to the calls of a fill; without it none run after a swap. */
  readonly handover?: Address
  /** Taken although another source gives more, as long as that is within so many basis points. */
  readonly preferred?: { readonly source: SwapSourceId; readonly withinBps: Bps }
  /** Currencies that the solver does not hold: a swap is the only way to and from them. */
  readonly currencies: ReadonlyArray<Currency>
}
