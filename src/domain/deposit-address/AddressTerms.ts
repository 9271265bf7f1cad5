/**
 * The facts on which a deposit at a deposit address is judged: what was quoted for the address, and what arrived
 * (ADDRESS-5).
 *
 * An open address makes a request of every deposit. A strict address serves one order, so only a strict one can have
 * EXACT_OUTPUT. Times: `quotedAt` in milliseconds, block times in seconds.
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
  /** The order's deadline, in seconds. A deposit in a block of exactly this second is in time. */
  readonly deadline: number
  readonly ttlSeconds: number | undefined
}

/** An open address: every deposit has its own order, priced when it arrives. */
export interface OpenTerms extends QuotedForAddress {
  readonly mode: "open"
  readonly tradeType: Exclude<TradeType, "EXACT_OUTPUT">
  /** If set, a deposit after the deadline gets its own order, with this tolerance (REQUEST-20). */
  readonly latePaymentSlippage: Bps | undefined
}

/** A strict address: it serves one order, which is filled at most once. */
export interface StrictTerms extends QuotedForAddress {
  readonly mode: "strict"
  readonly tradeType: TradeType
}

/**
 * What was agreed when the address was made: mode, amount in smallest units, and where money goes that cannot be
 * filled.
 */
export type AddressTerms = OpenTerms | StrictTerms

/** A deposit found at the address or swept from it. */
export interface AddressDeposit {
  readonly chainId: ChainId
  readonly currency: CurrencyAddress
  /** Smallest units of the deposit's own currency. */
  readonly received: bigint
  /** Seconds: the time of the deposit's own block, not the time when it was seen. */
  readonly blockTime: number
  /**
   * Whether the request's user sent the transaction. Anybody can pay to an address, and the depositor named in an event
   * proves nothing.
   */
  readonly sender: "user" | "another"
  /** `again` when another deposit of the address has already decided its request, by a fill or a failure. */
  readonly turn: "first" | "again"
}
