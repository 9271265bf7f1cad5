/**
 * A command of an operator as the process: runs once, says what a person can mend in one line, and ends with a code.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Logger, Option, Redacted } from "effect"
import * as Secrets from "../../configuration/Secrets.ts"
import { Problem, read } from "../../configuration/Variables.ts"
import { variables } from "../config/Environment.ts"

/** The command could not do what it was asked to. */
export const FAILED = 2

const messageOf = <E>(cause: Cause.Cause<E>): string => {
  const error: unknown = Option.getOrUndefined(Cause.findErrorOption(cause))
  return typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
    ? error.message
    : Cause.pretty(cause)
}

/** Runs the command with the environment and its secrets; its answer is the process's exit code. */
export const command = <E>(name: string, run: Effect.Effect<number, E>): void =>
  run.pipe(
    Effect.provide(Secrets.layer()),
    Effect.catchCause((cause) => Effect.as(Console.error(`${name}: ${messageOf(cause)}`), FAILED)),
    Effect.tap((code) =>
      Effect.sync(() => {
        process.exitCode = code
      })
    ),
    Effect.provide(Logger.layer([])),
    NodeRuntime.runMain({ disableErrorReporting: true })
  )

/** What stands behind the command's name. */
export const args = (): ReadonlyArray<string> => process.argv.slice(2)

/** The file of the embedded store. Fails with a problem when the store is PostgreSQL. */
export const storeFile = Effect.gen(function*() {
  const url = Redacted.value(yield* read(variables.databaseUrl))
  const filename = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined
  return filename === undefined || filename === ":memory:"
    ? yield* new Problem({
      message:
        "this is for the embedded store (DATABASE_URL=sqlite:…); PostgreSQL has tools of its own: see docs/operating-the-transfer-service.md"
    })
    : filename
})
