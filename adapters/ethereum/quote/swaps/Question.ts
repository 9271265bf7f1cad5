/**
 * What a source is asked in the batched read: one call, and how its answer is a quote. A call that fails is no quote.
 */
import type { Hex } from "viem"
import type { SwapQuote } from "../../../../src/domain/swap/SwapQuote.ts"

export interface Question {
  readonly to: Hex
  readonly data: Hex
  /** Throws for what is no answer of such a contract. */
  readonly quoteOf: (answer: Hex) => SwapQuote
}
