/**
 * The engine's own notifications, which `StoreNotices` is made of: the topics of what was committed. A trigger of each
 * table names its topic (migration 34), so that no statement of a repository has to.
 */
import { Context } from "effect"
import type { Effect, Scope } from "effect"
import type { SqlError } from "effect/sql"

/** The channel of PostgreSQL. Its notifications belong to one database. */
export const CHANNEL = "causeway_store"

/** The first word of each subscription, which shows that notices arrive. */
export const LISTENING = "listening"

/** A topic, or `LISTENING`. */
type Word = string

export class Notices extends Context.Service<Notices, {
  /**
   * Hears what is committed from now on, until the scope closes: what has arrived since the last call, at least one.
   * Both fail with `SqlError` when there is no connection.
   */
  readonly subscribe: Effect.Effect<
    Effect.Effect<ReadonlyArray<Word>, SqlError.SqlError>,
    SqlError.SqlError,
    Scope.Scope
  >
}>()("causeway/adapters/storage/engine/Notices") {}
