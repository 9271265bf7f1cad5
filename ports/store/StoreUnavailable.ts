/**
 * The store did not answer, or its answer made no sense. Retrying is safe: every write is idempotent. Carries no SQL
 * and no data.
 */
import * as Schema from "effect/Schema"

/** The store did not answer, or not in its form. Every write can be repeated. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  operation: Schema.String
}) {
  override get message(): string {
    return `the store could not be used for ${this.operation}; try again`
  }
}
