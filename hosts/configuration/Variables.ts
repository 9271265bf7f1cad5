/**
 * Environment variables, declared once: name, meaning, schema, default. Reading them and the documented table both come
 * from the declaration, so that neither can lie about the other.
 *
 * SECURITY: a message never repeats a value; a mistyped secret must not end up in a log.
 */
import { Config, Effect, Option, Result, Schema } from "effect"

export interface Variable<A> {
  readonly name: string
  /** What it is for and what it has to look like: shown in the docs, and when it is wrong. */
  readonly meaning: string
  readonly schema: Schema.ConstraintCodec<A, string>
  /** Used when the variable is unset or empty; a variable without one is required. */
  readonly fallback?: string
}

/** One thing that is wrong, in a line. */
export class Problem extends Schema.TaggedError<Problem>()("Problem", { message: Schema.String }) {}

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

/** The raw text of a variable; empty counts as unset, as shells and container files write it. */
export const readText = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((text) => Option.getOrUndefined(Option.filter(text, (value) => value !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

const decode = <A>({ meaning, name, schema }: Variable<A>, text: string): Effect.Effect<A, Problem> =>
  Schema.decodeUnknownEffect(schema)(text).pipe(
    Effect.mapError(() => new Problem({ message: `${name} is not valid: ${meaning}` }))
  )

/** The value of a variable, its default when it is unset. */
export const read = Effect.fnUntraced(function*<A>(variable: Variable<A>) {
  const text = (yield* readText(variable.name)) ?? variable.fallback
  return text === undefined
    ? yield* new Problem({ message: `${variable.name} is not set: ${variable.meaning}` })
    : yield* decode(variable, text)
})

/** The value of a variable that may be unset. */
export const readOptional = Effect.fnUntraced(function*<A>(variable: Variable<A>) {
  const text = yield* readText(variable.name)
  return text === undefined ? undefined : yield* decode(variable, text)
})

/** Fails with everything that is wrong among some values that were read. */
export const refuseProblems = (
  results: ReadonlyArray<Result.Result<unknown, Problem>>
): Effect.Effect<void, ConfigurationInvalid> => {
  const problems = [...new Set(results.flatMap((result) => Result.isFailure(result) ? [result.failure.message] : []))]
  return problems.length > 0 ? Effect.fail(new ConfigurationInvalid({ problems })) : Effect.void
}
