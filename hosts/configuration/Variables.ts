/**
 * The variables of the hosts, and all their problems in one message. `adapters/family` defines how a variable is
 * declared and read, because the families declare variables too.
 */
import { Effect, Result, Schema } from "effect"
import type { Problem } from "../../adapters/family/Variables.ts"

export { collect, Problem, read, readOptional, readText } from "../../adapters/family/Variables.ts"
export type { DeclaredVariable, Variable } from "../../adapters/family/Variables.ts"

/** Everything that is wrong with a configuration. */
export class ConfigurationInvalid extends Schema.TaggedError<ConfigurationInvalid>()("ConfigurationInvalid", {
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const count = this.problems.length
    return [
      `the configuration has ${count === 1 ? "a problem" : `${count} problems`}:`,
      ...this.problems.map((problem) => `  - ${problem}`)
    ].join("\n")
  }
}

/** Fails with everything that is wrong with these values. */
export const refuseProblems = (
  results: ReadonlyArray<Result.Result<unknown, Problem>>
): Effect.Effect<void, ConfigurationInvalid> => {
  const problems = [...new Set(results.flatMap((result) => Result.isFailure(result) ? [result.failure.message] : []))]
  return problems.length > 0 ? Effect.fail(new ConfigurationInvalid({ problems })) : Effect.void
}
