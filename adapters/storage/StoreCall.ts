/**
 * Error handling of all repositories. Any SQL error becomes `StoreUnavailable` and is logged here once, with its kind
 * and without data. A row that does not decode is a defect of the store and dies as one. A `StoreUnavailable` from
 * another repository in the same transaction is passed on.
 */
import { Effect, References } from "effect"
import type { Schema } from "effect"
import type { SqlError } from "effect/sql"
import { StoreUnavailable } from "../../ports/store/StoreUnavailable.ts"

/** A span while traces are collected. The name says which call it is: a stack for each would cost a hundredth of a quote. */
const spanned = (operation: string) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(References.TracerEnabled)
      ? effect.pipe(Effect.withSpan(operation, undefined, { captureStackTrace: false }))
      : effect
  )

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
