/**
 * A chain's scanning cursor, as the scan of this process knows it: read from the store now and then, not at every look.
 *
 * Other workers move the cursor, too, and nobody moves it back on purpose. So a scan that begins at an older one reads
 * some blocks again, which changes nothing, and a scan passes no block that it has not read.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Cursor } from "../../../../ports/chain/DepositWatcher.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"

/**
 * How long a cursor is known before it is read again, in milliseconds. It bounds what a process that stood still reads
 * again when others went on.
 */
const KNOWN_FOR = 10_000

export const makeKnownCursor = ({ id }: Chain) => {
  let known: { readonly cursor: Cursor; readonly readAt: number } | undefined
  return {
    /** Undefined while the store has none. */
    current: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (known !== undefined && now - known.readAt < KNOWN_FOR) return known.cursor
      const deposits = yield* Deposits
      const cursor = yield* deposits.cursor(id)
      known = cursor === undefined ? undefined : { cursor, readAt: now }
      return cursor
    }),
    /** The scan has recorded this one. */
    note: (cursor: Cursor): void => {
      if (known !== undefined) known = { ...known, cursor }
    }
  }
}

export type KnownCursor = ReturnType<typeof makeKnownCursor>
