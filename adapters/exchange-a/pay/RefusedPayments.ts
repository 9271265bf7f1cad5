/**
 * Payments that the exchange refused a moment ago, because their nonce is used or the account cannot pay. Nothing changes
 * for them soon: they are looked at and submitted again only after a while, so that one that waits for two days does not
 * use up the budget of all others.
 */
import type { Broadcast } from "../../../ports/chain/Treasury.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"

/** Milliseconds. */
const REST_MS = 15_000

interface Refused {
  readonly until: number
  readonly said: Broadcast
}

export class RefusedPayments {
  private refused: ReadonlyMap<TransactionId, Refused> = new Map()

  /** `now` in milliseconds. */
  note(id: TransactionId, said: Broadcast, now: number): void {
    const waiting = [...this.refused].filter(([, { until }]) => until > now)
    this.refused = new Map([...waiting, [id, { until: now + REST_MS, said }]])
  }

  /** What the exchange said of it a moment ago; undefined when it is to be asked. */
  saidOf(id: TransactionId, now: number): Broadcast | undefined {
    const found = this.refused.get(id)
    return found === undefined || found.until <= now ? undefined : found.said
  }
}
