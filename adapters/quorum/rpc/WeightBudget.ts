/**
 * How much one endpoint may be asked within a minute, where an exchange refuses an address that asks more: each request
 * has a weight, and their sum has a bound. What would exceed it is not asked.
 */

const MINUTE_MS = 60_000

export class WeightBudget {
  private readonly perMinute: number
  /** Oldest first. */
  private spent: ReadonlyArray<{ readonly at: number; readonly weight: number }> = []

  constructor(perMinute: number) {
    this.perMinute = perMinute
  }

  /** Takes the weight, if the last minute has room for it. `now` in milliseconds. */
  take(weight: number, now: number): boolean {
    this.spent = this.spent.filter(({ at }) => at > now - MINUTE_MS)
    const sum = this.spent.reduce((total, each) => total + each.weight, 0)
    if (sum + weight > this.perMinute) return false
    this.charge(weight, now)
    return true
  }

  /** Counts what was asked anyway. */
  charge(weight: number, now: number): void {
    this.spent = [...this.spent, { at: now, weight }]
  }
}
