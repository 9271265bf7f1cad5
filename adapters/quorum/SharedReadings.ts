/**
 * Readings that concurrent questions share. A reading is cancelled when no caller waits for it any more, and forgotten
 * when it ends, so each later question reads anew.
 *
 * Not effect's `Cache`: an entry of it is found, kept, moved and removed for each of an oracle's attestations.
 */
import { Effect } from "effect"
import type { Exit, Fiber } from "effect"

interface Reading<A, E> {
  /** Undefined while the first caller begins it. */
  fiber: Fiber.Fiber<A, E> | undefined
  readonly waiting: Set<(exit: Exit.Exit<A, E>) => void>
}

export class SharedReadings<A, E> {
  private readonly open = new Map<string, Reading<A, E>>()

  /** Joins the reading of this key, or begins it with the first caller's services. */
  get<R>(key: string, read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.contextWith((context) =>
      Effect.callback<A, E, R>((resume) => {
        const known = this.open.get(key)
        const reading = known ?? { fiber: undefined, waiting: new Set() }
        reading.waiting.add(resume)
        if (known === undefined) {
          this.open.set(key, reading)
          reading.fiber = Effect.runForkWith(context)(read)
          reading.fiber.addObserver((exit) => {
            this.forget(key, reading)
            for (const tell of reading.waiting) tell(exit)
          })
        }
        return Effect.sync(() => {
          reading.waiting.delete(resume)
          if (reading.waiting.size > 0) return
          // First, so that a new question does not join what is being cancelled.
          this.forget(key, reading)
          reading.fiber?.interruptUnsafe()
        })
      })
    )
  }

  private forget(key: string, reading: Reading<A, E>): void {
    if (this.open.get(key) === reading) this.open.delete(key)
  }
}
