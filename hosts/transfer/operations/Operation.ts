/** What the operator's programs share: the service's environment with its secrets, and the embedded store's file. */
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import * as Secrets from "../../configuration/Secrets.ts"
import { ProgramFailed } from "../../cli/Program.ts"
import { read } from "../../configuration/Variables.ts"
import { variables } from "../config/Environment.ts"

/** The environment of the program. A test has its own. */
export const ProgramEnvironment: Context.Reference<Readonly<Record<string, string | undefined>>> = Context.Reference(
  "causeway/hosts/transfer/operations/ProgramEnvironment",
  { defaultValue: () => process.env }
)

/** With the environment and its secrets, and without a log. */
export const operation = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    ProgramEnvironment,
    (environment) => Effect.provide(run, Layer.merge(Secrets.layer(undefined, environment), Logger.layer([])))
  )

/** The file of the embedded store. Fails with a problem when the store is PostgreSQL. */
export const storeFile = Effect.gen(function*() {
  const url = Redacted.value(yield* read(variables.databaseUrl))
  const filename = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined
  return filename === undefined || filename === ":memory:"
    ? yield* new ProgramFailed({
      reason: "other-store",
      message:
        "this is for the embedded store (DATABASE_URL=sqlite:…); PostgreSQL has tools of its own: see docs/operating-the-transfer-service.md"
    })
    : filename
})
