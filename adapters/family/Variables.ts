/**
 * Environment variables, declared once: name, meaning, schema, default. Reading them and the documented table both come
 * from the declaration, so that neither can lie about the other.
 *
 * SECURITY: a message never repeats a value; a mistyped secret must not end up in a log.
 */
import { Config, Effect, Option, Result, Schema } from "effect"

/** What is shown of a variable. */
export interface DeclaredVariable {
  readonly name: string
  /** What it is for and what it has to look like: shown in the docs, and when it is wrong. */
  readonly meaning: string
  /** Used when the variable is unset or empty; a variable without one is required. */
  readonly fallback?: string
}

export interface Variable<A> extends DeclaredVariable {
  readonly schema: Schema.ConstraintCodec<A, string>
}

/** One thing that is wrong, in a line. */
export class Problem extends Schema.TaggedError<Problem>()("Problem", { message: Schema.String }) {}

/** Every result, or one problem that names everything that is wrong. */
export const collect = <A>(
  results: ReadonlyArray<Result.Result<A, Problem>>
): Result.Result<ReadonlyArray<A>, Problem> => {
  const problems = results.flatMap((result) => Result.isFailure(result) ? [result.failure.message] : [])
  return problems.length > 0
    ? Result.fail(new Problem({ message: [...new Set(problems)].join("\n  - ") }))
    : Result.all(results)
}

/** Fails with everything that is wrong among values that were read. */
export const refuseWrong = (values: Readonly<Record<string, Result.Result<unknown, Problem>>>) =>
  Effect.asVoid(Effect.fromResult(collect<unknown>(Object.values(values))))

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
