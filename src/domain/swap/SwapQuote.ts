/** What a swap source gives for an amount, and through which pools: valid for one moment. */
import type { Address } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import type { Bps } from "../money/Bps.ts"
import type { Currency } from "../money/Currency.ts"
import type { SwapSourceId } from "./SwapSource.ts"

/** Which of the two amounts is given. */
export type ExactSide = "in" | "out"

/** A request's wishes for the route, where its source chooses one: Solana only (REQUEST-24). */
export interface RouteWishes {
  /** The most pools in a row; undefined for any number. */
  readonly mostHops: number | undefined
  /** Whether the route uses the source's accounts instead of the user's, which would have to be opened. */
  readonly sharedAccounts: boolean
  /** How much less may come out, or more go in. A route is built for this tolerance and has it in its instructions. */
  readonly slippage: Bps
}

/** What a swap source is asked for. */
export interface SwapAsk {
  readonly chain: Chain
  readonly from: Currency
  readonly to: Currency
  readonly exact: ExactSide
  /** Smallest units of `from` when exact is "in", else of `to`. */
  readonly amount: bigint
  /** For a swap that the user carries out. */
  readonly route?: RouteWishes
}

/** Tokens in path order; `fees` lie between them where pools differ by fee, and are empty elsewhere. */
export interface SwapPath {
  readonly tokens: ReadonlyArray<Address>
  readonly fees: ReadonlyArray<number>
}

export interface SwapQuote {
  readonly source: SwapSourceId
  readonly router: Address
  readonly ask: SwapAsk
  /** Smallest units of `ask.from`. */
  readonly amountIn: bigint
  /** Smallest units of `ask.to`. */
  readonly amountOut: bigint
  /** Gas units of the swap's own transaction. */
  readonly gas: bigint
  readonly path: SwapPath
  /** The source's own data, for a source that builds routes itself and needs it back to build this one. */
  readonly said?: unknown
}

/** The quotes of one moment, with the gas price at that moment. */
export interface SwapOffers {
  readonly quotes: ReadonlyArray<SwapQuote>
  /** Smallest units of the native currency for one unit of gas. */
  readonly gasPrice: bigint
  /** Gas for the state that a fill makes around such a swap (PRICE-29). Absent where it takes none. */
  readonly stateGas?: bigint
}

/** The terms under which a quote is executed; the source's router enforces them on chain. */
export interface SwapTerms {
  readonly recipient: Address
  /** The minimum output for an exact input, the maximum input for an exact output. */
  readonly limit: bigint
  /** Seconds: the swap is not executed in a later block. */
  readonly deadline: number
}
