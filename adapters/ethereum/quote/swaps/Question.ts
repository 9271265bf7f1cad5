/**
 * A question to a swap source in the batched read: one call, and how its answer becomes a quote. A failed call gives no
 * quote.
 */
import type { Hex } from "viem"
import type { SwapQuote } from "../../../../src/domain/swap/SwapQuote.ts"

export interface Question {
  readonly to: Hex
  readonly data: Hex
  /** Throws when the contract did not answer in this form. */
  readonly quoteOf: (answer: Hex) => SwapQuote
}
