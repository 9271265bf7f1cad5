/**
 * Payments that the exchange refused a moment ago: their nonce is used, the account cannot pay, or it says anything else.
 * Nothing changes for them soon: they are looked at and submitted again only after a while, so that one that waits for
 * two days does not use up the budget of all others.
 */
import type { Broadcast } from "../../../ports/chain/Treasury.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"

/** What the exchange made of a payment. `refused`: in words that nobody knows, at every endpoint. */
export type SaidOfPayment = Broadcast | "refused"

/** Milliseconds. */
const REST_MS = 15_000

/** The same where the words are unknown: whoever follows the payment waits as long before it is sent again. */
const UNKNOWN_REST_MS = 10_000

interface Refused {
  readonly until: number
  readonly said: SaidOfPayment
}

export class RefusedPayments {
  private refused: ReadonlyMap<TransactionId, Refused> = new Map()

  /** `now` in milliseconds. */
  note(id: TransactionId, said: SaidOfPayment, now: number): void {
    const waiting = [...this.refused].filter(([, { until }]) => until > now)
    const rest = said === "refused" ? UNKNOWN_REST_MS : REST_MS
    this.refused = new Map([...waiting, [id, { until: now + rest, said }]])
  }

  /** What the exchange said of it a moment ago; undefined when it is to be asked. */
  saidOf(id: TransactionId, now: number): SaidOfPayment | undefined {
    const found = this.refused.get(id)
    return found === undefined || found.until <= now ? undefined : found.said
  }
}
