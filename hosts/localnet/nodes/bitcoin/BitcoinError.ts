/** An error of a local Bitcoin chain, in one sentence. */
import { Schema } from "effect"

export class BitcoinError extends Schema.TaggedError<BitcoinError>()("BitcoinError", {
  kind: Schema.Literals(["port-taken", "damaged", "not-started", "wrong-chain", "died"]),
  message: Schema.String
}) {}
