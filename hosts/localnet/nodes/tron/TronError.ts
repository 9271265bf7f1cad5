/** An error of a local Tron chain, in one sentence. */
import { Schema } from "effect"

export class TronError extends Schema.TaggedError<TronError>()("TronError", {
  kind: Schema.Literals(["port-taken", "damaged", "not-started", "wrong-chain", "died"]),
  message: Schema.String
}) {}
