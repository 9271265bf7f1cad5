/**
 * What is known when a deposit arrives at a deposit address: what was quoted for the address, and what came
 * (ADDRESS-5).
 *
 * An open address takes every deposit as a request of its own; a strict one is tied to one order, which is why it alone
 * may have EXACT_OUTPUT. Times: `quotedAt` in milliseconds, everything a block says in seconds.
 */
import type { CurrencyAddress } from "../chain/Address.ts"
import type { ChainId } from "../chain/ChainId.ts"
import type { TradeType } from "../quote/request/TradeType.ts"
import type { Bps } from "../money/Bps.ts"

interface QuotedForAddress {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  /** Smallest units of the quoted currency. */
  readonly amountIn: bigint
  /** Smallest units of the destination currency. */
  readonly amountOut: bigint
  readonly minimumOut: bigint
  readonly quotedAt: number
  /** The order's, in seconds; a deposit in a block of that very second is in time. */
  readonly deadline: number
  readonly ttlSeconds: number | undefined
}

/** An open address: every deposit is an order of its own, priced when it arrives. */
export interface OpenTerms extends QuotedForAddress {
  readonly mode: "open"
  readonly tradeType: Exclude<TradeType, "EXACT_OUTPUT">
  /** With it a deposit after the deadline gets an order of its own, with this tolerance (REQUEST-20). */
  readonly latePaymentSlippage: Bps | undefined
}

/** A strict address: tied to one order, filled at most once. */
export interface StrictTerms extends QuotedForAddress {
  readonly mode: "strict"
  readonly tradeType: TradeType
}

export type AddressTerms = OpenTerms | StrictTerms

/** A deposit found at the address or swept from it. */
export interface AddressDeposit {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  /** Smallest units of the deposit's own currency. */
  readonly received: bigint
  /** Seconds: the time of the deposit's own block, never the time we saw it. */
  readonly blockTime: number
  /**
   * Whether the request's user sent the transaction; an address can be paid by anybody, and a depositor named in an
   * event proves nothing.
   */
  readonly sender: "user" | "another"
  /** `again` when another deposit of the address decided its request before: filled it or failed it. */
  readonly turn: "first" | "again"
}
