/**
 * Runs a host's layer as the process, until a signal or until something that it needs is missing.
 *
 * SIGTERM and SIGINT shut it down in good order, with exit code 0 (`Shutdown`). A problem that an operator can fix is
 * one message on stderr and exit code 1. A defect shows its cause.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Console, Effect, Exit, Layer, Logger, Option, Runtime } from "effect"
import { warnOfMisspellings } from "../configuration/Misspellings.ts"
import * as Secrets from "../configuration/Secrets.ts"
import { jsonLines } from "../observability/JsonLines.ts"
import { maskUrls } from "../observability/MaskUrls.ts"

interface Explained {
  readonly message: string
}

const hasMessage = (error: unknown): error is Explained =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"

/** One JSON object for each line, for log collectors. On a terminal, readable lines. */
const logger = Logger.layer([process.stdout.isTTY ? Logger.consolePretty() : jsonLines])

/** A host that was asked to stop and did exits with 0, not with 130 as for an interruption. */
const teardown: Runtime.Teardown = (exit, onExit) =>
  Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? onExit(0) : Runtime.defaultTeardown(exit, onExit)

/** `variables`: the ones that the host reads. */
export const run = <E>(
  name: string,
  host: Layer.Layer<never, E>,
  variables: ReadonlyArray<{ readonly name: string }>
): void =>
  Effect.andThen(
    warnOfMisspellings(variables.map((variable) => variable.name)),
    Layer.launch(host.pipe(Layer.tap(() => Effect.logInfo(`${name} is up`)), Layer.provide(Secrets.layer())))
  ).pipe(
    Effect.tapCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      return Console.error(
        maskUrls(
          hasMessage(error) ? `${name} did not start: ${error.message}` : `${name} stopped:\n${Cause.pretty(cause)}`
        )
      )
    }),
    Effect.provide(logger),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
