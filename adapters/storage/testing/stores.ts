/**
 * Runs the contract suite of a port on every store: SQLite, PostgreSQL, and the one in memory that simulated worlds run
 * on. Each case gets a new, empty store. What is about tables, locks or files has no meaning in memory: such a case
 * says so by `testOnTables`.
 */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { describeEngines } from "./engines.ts"
import { storeInMemory, storeOnTables } from "./StoreLayers.ts"
import type { StorePorts } from "./StoreLayers.ts"

interface StoreSuite {
  readonly name: "sqlite" | "postgres" | "memory"
  /** A case of every store. */
  readonly test: <E>(title: string, effect: Effect.Effect<void, E, StorePorts>) => void
  /** A case of what only tables have: indexes, locks, rows of earlier versions, what was changed behind the ports. */
  readonly testOnTables: <E>(title: string, effect: Effect.Effect<void, E, StorePorts | SqlClient.SqlClient>) => void
}

/** One `describe` for each store; call it once per file. */
export const describeStores = (suite: (store: StoreSuite) => void): void => {
  describeEngines((name, engine) => {
    const store = storeOnTables(engine)
    suite({
      name,
      test: (title, effect) => it.live(title, () => Effect.provide(effect, store)),
      testOnTables: (title, effect) => it.live(title, () => Effect.provide(effect, store))
    })
  }, "migrated")
  describe("in memory", () =>
    suite({
      name: "memory",
      test: (title, effect) => it.live(title, () => Effect.provide(effect, storeInMemory)),
      testOnTables: () => undefined
    }))
}
