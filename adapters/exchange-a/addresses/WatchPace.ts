/**
 * How often a deposit address on exchange A is read while it is watched (EXCHANGEA-32). The exchange shows one account at
 * a time, so the readings of all addresses share a quarter of the weight: the more there are, the rarer is each.
 */

/** Of a reading of one balance and of the clock, as the exchange weighs requests. */
const WEIGHT = 4

/** Of the weight of a minute. */
const SHARE = 4

const MINUTE_MS = 60_000

/** Readings of so long may come at once. */
const BURST_MS = 5_000

/** What was not asked for so long is watched no more: longer than services rest between two looks. */
const FORGOTTEN_MS = 6 * MINUTE_MS

interface Watched<A> {
  readonly askedAt: number
  readonly readAt: number
  readonly reading: A | undefined
}

export class WatchPace<A> {
  private readonly readingsPerMinute: number
  private readonly watched = new Map<string, Watched<A>>()
  private tidiedAt = 0
  /** When the next reading of any address is due. */
  private nextAt = 0

  constructor(weightPerMinute: number) {
    this.readingsPerMinute = weightPerMinute / SHARE / WEIGHT
  }

  /** Whether it is read now. The reading is then to be noted. `now`: milliseconds since any moment. */
  takes(name: string, now: number): boolean {
    this.tidy(now)
    const known = this.watched.get(name)
    const apart = MINUTE_MS / this.readingsPerMinute
    const isDue = this.nextAt <= now && (known === undefined || now - known.readAt >= this.watched.size * apart)
    this.watched.set(name, { askedAt: now, readAt: isDue ? now : known?.readAt ?? -Infinity, reading: known?.reading })
    if (isDue) this.nextAt = Math.max(this.nextAt, now - BURST_MS) + apart
    return isDue
  }

  note(name: string, reading: A): void {
    const known = this.watched.get(name)
    if (known !== undefined) this.watched.set(name, { ...known, reading })
  }

  /** The last reading; undefined before the first. */
  lastOf(name: string): A | undefined {
    return this.watched.get(name)?.reading
  }

  private tidy(now: number): void {
    if (now - this.tidiedAt < MINUTE_MS) return
    this.tidiedAt = now
    for (const [name, { askedAt }] of this.watched) {
      if (now - askedAt > FORGOTTEN_MS) this.watched.delete(name)
    }
  }
}
