/** A command that did not do what was asked, in words for whoever typed it, with the name of why. */
import { Data } from "effect"

/**
 * Wrong words, a variable that is missing or wrong, a refusal of the service, no answer from it.
 */
export type KeysReason = "usage" | "not-configured" | "refused" | "no-answer"

export class KeysFailed
  extends Data.TaggedError("KeysFailed")<{ readonly message: string; readonly reason: KeysReason }>
{}
