/**
 * Runs a host's layer as the process: until a signal, or until something it needs is missing.
 *
 * What a person can mend is said in one message on stderr and ends the process with 1; a defect shows its cause.
 */
import { NodeRuntime } from "@effect/platform-node"
import { Cause, Console, Effect, Layer, Logger, Option } from "effect"
import * as Secrets from "../configuration/Secrets.ts"
import { jsonLines } from "../observability/JsonLines.ts"
import { maskUrls } from "../observability/MaskUrls.ts"

interface Explained {
  readonly message: string
}

const hasMessage = (error: unknown): error is Explained =>
  typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"

/** Logs as one JSON object a line, as log collectors read them, unless a person is watching. */
const logger = Logger.layer([process.stdout.isTTY ? Logger.consolePretty() : jsonLines])

export const run = <E>(name: string, host: Layer.Layer<never, E>): void =>
  Layer.launch(host.pipe(Layer.provide(Secrets.layer()))).pipe(
    Effect.tapCause((cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.void
      const error = Option.getOrUndefined(Cause.findErrorOption(cause))
      return Console.error(maskUrls(hasMessage(error) ? `${name} did not start: ${error.message}` : `${name} stopped:\n${Cause.pretty(cause)}`))
    }),
    Effect.provide(logger),
    NodeRuntime.runMain({ disableErrorReporting: true })
  )
