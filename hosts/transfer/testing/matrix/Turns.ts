/** The accounts of a chain, each asked in its turn, so that payments of different ways wait for each other seldom. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"

export const turnsOf = <A>(of: ReadonlyArray<A>) => {
  let next = 0
  return () => Effect.sync((): A => of[next++ % of.length] ?? assert.fail("nobody has an account"))
}
