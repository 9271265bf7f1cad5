/**
 * The page's data about a transfer: question and answer, what happened on the way, and all balances before and after.
 */
import type { StatusAnswer } from "../../../testing/Client.ts"

export interface Asking {
  readonly what: string
  /** With the sponsor's key. */
  readonly keyed: boolean
  /** The question besides the parties and the route. */
  readonly ask: object
}

/** A request that is refused. */
export interface Refused {
  readonly play: Asking
  readonly asked: object
  readonly status: number
  readonly answer: unknown
}

/** Balances by their name on a page, smallest units. */
export type Balances = Readonly<Record<string, bigint>>

export interface Books {
  /** Six decimals each. */
  readonly chains: Balances
  /** Lamports. Absent when Solana has no part. */
  readonly sol?: Balances
  /** Six decimals each. */
  readonly ledger: Balances
}

export interface Played {
  readonly play: Asking
  readonly asked: object
  readonly answer: unknown
  readonly actual: unknown
  /** What was done for it, and its result: paragraphs of the page, after the answer. */
  readonly told: ReadonlyArray<string>
  readonly before: Books
  readonly after: Books
}

/** How a request ended after `sent`, smallest units, was sent. */
export interface Outcome {
  readonly sent: bigint
  readonly end: Pick<StatusAnswer, "status" | "failReason" | "refunds">
}
