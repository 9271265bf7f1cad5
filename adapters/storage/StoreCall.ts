/**
 * Error handling of all repositories. Any SQL error becomes `StoreUnavailable` and is logged here once, with its kind
 * and without data. A row that does not decode is a defect of the store and dies as one. A `StoreUnavailable` from
 * another repository in the same transaction is passed on.
 */
import { Effect } from "effect"
import type { Schema } from "effect"
import type { SqlError } from "effect/sql"
import { spanned } from "../../ports/Spanned.ts"
import { StoreUnavailable } from "../../ports/store/StoreUnavailable.ts"

/** Runs a repository operation under the name that errors and traces show. */
export const storeCall = (operation: string) =>
<A, R>(
  effect: Effect.Effect<A, SqlError.SqlError | Schema.SchemaError | StoreUnavailable, R>
): Effect.Effect<A, StoreUnavailable, R> =>
  effect.pipe(
    Effect.catchTag("SchemaError", (error) => Effect.die(error)),
    Effect.catch((error) =>
      error._tag === "StoreUnavailable" ?
        Effect.fail(error) :
        Effect.logWarning(`store: ${operation} failed (${error.reason._tag})`).pipe(
          Effect.andThen(Effect.fail(new StoreUnavailable({ operation })))
        )
    ),
    spanned(operation)
  )
