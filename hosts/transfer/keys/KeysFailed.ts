/** A command that did not do what was asked, in words for whoever typed it, and the process's exit code. */
import { Data } from "effect"

/** Wrong words or variables are 1 (as is wrong usage), a refusal of the service 2, no answer from it 3. */
export type ExitCode = 1 | 2 | 3

export class KeysFailed
  extends Data.TaggedError("KeysFailed")<{ readonly message: string; readonly exitCode: ExitCode }>
{}
