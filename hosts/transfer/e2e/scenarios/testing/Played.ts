/**
 * What a page tells of a transfer: what was asked and answered, what happened on the way, and what everybody had before
 * and after.
 */
import type { StatusAnswer } from "../../../testing/Client.ts"

export interface Asking {
  readonly what: string
  /** With the sponsor's key. */
  readonly keyed: boolean
  /** What is asked beside the parties and the route. */
  readonly ask: object
}

/** A request that is refused. */
export interface Refused {
  readonly play: Asking
  readonly asked: object
  readonly status: number
  readonly answer: unknown
}

/** What is counted, by what it is called on a page; smallest units. */
export type Balances = Readonly<Record<string, bigint>>

export interface Books {
  /** Six decimals each. */
  readonly chains: Balances
  /** Lamports; absent where Solana has no part. */
  readonly sol?: Balances
  /** Six decimals each. */
  readonly ledger: Balances
}

export interface Played {
  readonly play: Asking
  readonly asked: object
  readonly answer: unknown
  readonly actual: unknown
  /** What was done for it, and what became of it: paragraphs of the page, behind the answer. */
  readonly told: ReadonlyArray<string>
  readonly before: Books
  readonly after: Books
}

/** How a request that was sent this much ended, smallest units. */
export interface Outcome {
  readonly sent: bigint
  readonly end: Pick<StatusAnswer, "status" | "failReason" | "refunds">
}
