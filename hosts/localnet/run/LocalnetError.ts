/** Why the local network could not start or continue: one sentence for the person at the terminal. */
import { Schema } from "effect"

export class LocalnetError extends Schema.TaggedError<LocalnetError>()("LocalnetError", {
  message: Schema.String,
  /** The reason's name, when it ends a program: `usage` for wrong arguments. */
  reason: Schema.optionalKey(Schema.String)
}) {}

/** The message of an outside failure, without its stack. */
export const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
