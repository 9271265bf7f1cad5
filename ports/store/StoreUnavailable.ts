/**
 * The store did not answer, or its answer made no sense. Retrying is safe: every write is idempotent. Carries no SQL
 * and no data.
 */
import * as Schema from "effect/Schema"

export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  operation: Schema.String
}) {
  override get message(): string {
    return `the store could not be used for ${this.operation}; try again`
  }
}
