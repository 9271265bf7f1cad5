/**
 * Environment variables, declared once: name, meaning, schema, default. The declaration is both read and documented, so
 * the docs cannot differ from the code.
 *
 * SECURITY: a message never repeats a value. A mistyped secret must not get into a log.
 */
import { Config, Effect, Option, Result, Schema } from "effect"

/** The documented part of a variable. */
export interface DeclaredVariable {
  readonly name: string
  /** Its purpose and format. Shown in the docs, and when the value is wrong. */
  readonly meaning: string
  /** Used when the variable is unset or empty. A variable without a fallback is required. */
  readonly fallback?: string
}

export interface Variable<A> extends DeclaredVariable {
  readonly schema: Schema.ConstraintCodec<A, string>
}

/** One line for each thing that is wrong. */
export class Problem extends Schema.TaggedError<Problem>()("Problem", { message: Schema.String }) {}

/** All results, or one problem that names everything that is wrong. */
export const collect = <A>(
  results: ReadonlyArray<Result.Result<A, Problem>>
): Result.Result<ReadonlyArray<A>, Problem> => {
  const problems = results.flatMap((result) => Result.isFailure(result) ? [result.failure.message] : [])
  return problems.length > 0
    ? Result.fail(new Problem({ message: [...new Set(problems)].join("\n  - ") }))
    : Result.all(results)
}

/** Fails with everything that is wrong with these values. */
export const refuseWrong = (values: Readonly<Record<string, Result.Result<unknown, Problem>>>) =>
  Effect.asVoid(Effect.fromResult(collect<unknown>(Object.values(values))))

/** The raw text of a variable. Empty counts as unset, because shells and container files write it that way. */
export const readText = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((text) => Option.getOrUndefined(Option.filter(text, (value) => value !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

const decode = <A>({ meaning, name, schema }: Variable<A>, text: string): Effect.Effect<A, Problem> =>
  Schema.decodeUnknownEffect(schema)(text).pipe(
    Effect.mapError(() => new Problem({ message: `${name} is not valid: ${meaning}` }))
  )

/** The value of a variable, or its default when it is unset. */
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
