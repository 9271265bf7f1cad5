/** An error of a local Solana chain, in one sentence. */
import { Schema } from "effect"

export class SolanaError extends Schema.TaggedError<SolanaError>()("SolanaError", {
  kind: Schema.Literals(["port-taken", "damaged", "not-started", "wrong-chain", "died"]),
  message: Schema.String
}) {}
