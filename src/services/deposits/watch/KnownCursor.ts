/**
 * A chain's scanning cursor, as the scan of this process knows it: read from the store now and then, not at every look.
 *
 * What an idle scan has passed without a deposit is written only now and then (`Renewal`), so this process may know more
 * than the store.
 *
 * Other workers move the cursor, too, and nobody moves it back on purpose. So a scan that begins at an older one reads
 * some blocks again, which changes nothing, and a scan passes no block that it has not read.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"

/**
 * How long a cursor is known before it is read again, in milliseconds. It bounds what a process that stood still reads
 * again when others went on.
 */
const KNOWN_FOR = 10_000

interface Known {
  /** How far this process has scanned. */
  readonly cursor: Cursor
  /** What the store had when it was last read or written. */
  readonly stored: Cursor
  readonly readAt: number
}

const isSame = (one: Cursor | undefined, other: Cursor | undefined): boolean =>
  one?.height === other?.height && one?.hash === other?.hash

/** `read`: the cursor that the store has. */
export const makeKnownCursor = <E, R>(read: Effect.Effect<Cursor | undefined, E, R>) => {
  let known: Known | undefined
  return {
    /** Undefined while the store has none. */
    current: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (known !== undefined && now - known.readAt < KNOWN_FOR) return known.cursor
      const stored = yield* read
      // Where nobody else has moved it, what was scanned since is not scanned again.
      const cursor = isSame(stored, known?.stored) ? known?.cursor : stored
      known = stored === undefined || cursor === undefined ? undefined : { cursor, stored, readAt: now }
      return cursor
    }),
    /** True when the scan has come no further than to this one, and the store has it. */
    isRecorded: (cursor: Cursor): boolean => isSame(cursor, known?.cursor) && isSame(cursor, known?.stored),
    /** The scan has come to this one and found nothing. */
    reach: (cursor: Cursor): void => {
      if (known !== undefined) known = { ...known, cursor }
    },
    /** The scan has recorded this one. */
    note: (cursor: Cursor): void => {
      if (known !== undefined) known = { ...known, cursor, stored: cursor }
    },
    /** The next scan begins where the store says. */
    forget: (): void => {
      known = undefined
    }
  }
}

export type KnownCursor<E, R> = ReturnType<typeof makeKnownCursor<E, R>>
