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
import { endUnheard } from "../observability/LastWords.ts"
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

/** The message for a person when a host ends by itself. Undefined when it was asked to. */
export const explanationOf = <E>(name: string, cause: Cause.Cause<E>): string | undefined => {
  if (Cause.hasInterruptsOnly(cause)) return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return maskUrls(
    hasMessage(error) ? `${name} did not start: ${error.message}` : `${name} stopped:\n${Cause.pretty(cause)}`
  )
}

/** A host, as its `main.ts` gives it. */
export interface Host<E> {
  readonly name: string
  readonly layer: Layer.Layer<never, E>
  /** The ones that it reads. */
  readonly variables: ReadonlyArray<{ readonly name: string }>
}

/** Runs a host until it is interrupted. It shares no part with another host of the same process. */
export const launch = <E>(
  { layer, name, variables }: Host<E>,
  environment: Readonly<Record<string, string | undefined>> = process.env
) =>
  Effect.andThen(
    warnOfMisspellings(variables.map((variable) => variable.name), environment),
    Layer.launch(Layer.fresh(layer.pipe(
      Layer.tap(() => Effect.logInfo(`${name} is up`)),
      Layer.provide(Secrets.layer(undefined, environment))
    )))
  )

export const run = <E>(host: Host<E>): void => {
  endUnheard(host.name)
  launch(host).pipe(
    Effect.tapCause((cause) => {
      const explanation = explanationOf(host.name, cause)
      return explanation === undefined ? Effect.void : Console.error(explanation)
    }),
    Effect.provide(logger),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown })
  )
}
