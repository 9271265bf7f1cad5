/** An error of a simulated exchange, in one sentence. */
import { Schema } from "effect"

export class ExchangeError extends Schema.TaggedError<ExchangeError>()("ExchangeError", {
  /** `not-started`: its state file is damaged. */
  kind: Schema.Literals(["port-taken", "not-started"]),
  message: Schema.String
}) {}
