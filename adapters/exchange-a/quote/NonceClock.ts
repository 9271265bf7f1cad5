/**
 * Nonces for the transfers of users (EXCHANGEA-8): times in milliseconds, each given once by this process. Two processes
 * may give one user the same; then `/authorize` takes only the first of the two mappings, and nothing is lost.
 */
import { Clock, Effect } from "effect"

export class NonceClock {
  private last = 0

  readonly next: Effect.Effect<number> = Effect.map(Clock.currentTimeMillis, (now) => {
    this.last = Math.max(now, this.last + 1)
    return this.last
  })
}
