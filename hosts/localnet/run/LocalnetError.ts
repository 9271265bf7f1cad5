/** Why the local network could not start or go on: one sentence for the person at the terminal. */
import { Schema } from "effect"

export class LocalnetError extends Schema.TaggedError<LocalnetError>()("LocalnetError", {
  message: Schema.String,
  /** Its name, where a program ends with it: `usage` for what was typed. */
  reason: Schema.optionalKey(Schema.String)
}) {}

/** What an outside failure says, without its stack. */
export const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)
