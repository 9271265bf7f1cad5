/** A failed command: a message for the user, and the name of the reason. */
import { Data } from "effect"

/** Wrong arguments, a missing or wrong variable, a refusal of the service, no answer from it. */
export type KeysReason = "usage" | "not-configured" | "refused" | "no-answer"

export class KeysFailed
  extends Data.TaggedError("KeysFailed")<{ readonly message: string; readonly reason: KeysReason }>
{}
