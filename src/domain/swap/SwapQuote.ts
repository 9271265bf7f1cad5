/** What a swap source gives for an amount, and which pools it goes through: a fact of one moment. */
import type { Address } from "../chain/Address.ts"
import type { Chain } from "../chain/Chain.ts"
import type { Bps } from "../money/Bps.ts"
import type { Currency } from "../money/Currency.ts"
import type { SwapSourceId } from "./SwapSource.ts"

/** Which of the two amounts is given. */
export type ExactSide = "in" | "out"

/** What a request says of the way, where its source chooses one: of Solana only (REQUEST-24). */
export interface RouteWishes {
  /** The most pools in a row; undefined for any number. */
  readonly mostHops: number | undefined
  /** By accounts of the source on the way, instead of the user's, which would have to be opened. */
  readonly sharedAccounts: boolean
  /** How much less may come out, or more go in: a route that is made for it has it in its instructions. */
  readonly slippage: Bps
}

export interface SwapAsk {
  readonly chain: Chain
  readonly from: Currency
  readonly to: Currency
  readonly exact: ExactSide
  /** Smallest units of `from` when exact is "in", else of `to`. */
  readonly amount: bigint
  /** Of a swap that its user carries out. */
  readonly route?: RouteWishes
}

/** Tokens in the order in which they are passed; `fees` between them where pools differ by fee, else none. */
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
  /** What a source that makes routes itself wants to see again when it makes this one. */
  readonly said?: unknown
}

/** The quotes of a moment, with what gas costs at it. */
export interface SwapOffers {
  readonly quotes: ReadonlyArray<SwapQuote>
  /** Smallest units of the native currency for one unit of gas. */
  readonly gasPrice: bigint
}

/** On which terms a quote is carried out; enforced by the source's router, on chain. */
export interface SwapTerms {
  readonly recipient: Address
  /** The least output where the input is exact, the most input where the output is. */
  readonly limit: bigint
  /** Seconds: no block later than this carries the swap out. */
  readonly deadline: number
}
