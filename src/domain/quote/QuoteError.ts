/**
 * Why a request was not quoted: the closed, append-only list of codes of ERROR-2 and the typed error that carries one.
 *
 * "Don't remove, don't reorder": clients switch on these words.
 */
import * as Data from "effect/Data"

/** Every code of a refused quote: append-only. */
export const quoteErrorCodes = [
  "AMOUNT_TOO_LOW",
  "INVALID_ADDRESS",
  "INVALID_RECIPIENT",
  "INVALID_INPUT_CURRENCY",
  "INVALID_OUTPUT_CURRENCY",
  "INVALID_SLIPPAGE_TOLERANCE",
  "INVALID_REQUEST",
  "UNSUPPORTED_CHAIN",
  "UNSUPPORTED_CURRENCY",
  "UNSUPPORTED_ROUTE",
  "UNSUPPORTED_TRADE_TYPE",
  "NO_SWAP_ROUTES_FOUND",
  "INSUFFICIENT_LIQUIDITY",
  "INSUFFICIENT_APP_BALANCE",
  "SPONSOR_WALLET_NOT_LINKED",
  "SPONSOR_BUDGET_EXCEEDED",
  "IDEMPOTENCY_KEY_REUSED",
  "SWAP_IMPACT_TOO_HIGH",
  "CHAIN_DISABLED",
  "INVALID_EXTRA_TXS",
  "EXTRA_TXS_NOT_SUPPORTED",
  "DESTINATION_TX_FAILED",
  "PERMIT_FAILED",
  "SOLANA_TX_TOO_LARGE",
  "PRICE_FETCH_FAILED",
  "SERVICE_UNAVAILABLE",
  "UNAUTHORIZED",
  "UNKNOWN_ERROR",
  "INSUFFICIENT_USER_BALANCE"
] as const

/** One of `quoteErrorCodes`. */
export type QuoteErrorCode = (typeof quoteErrorCodes)[number]

/** A request that cannot be quoted; the message says which field is wrong and how to correct it. */
export class QuoteRefused extends Data.TaggedError("QuoteRefused")<{
  readonly code: QuoteErrorCode
  readonly message: string
  /** The request field at fault, if there is one. */
  readonly field?: string
  /** The call that failed in simulation, and the block of the simulation. */
  readonly failed?: {
    readonly call: { readonly from: string; readonly to: string; readonly data: string; readonly value: string }
    readonly block: bigint
  }
}> {}
