/**
 * Runs the transfer service and the oracle in this process: each host's own layer, with the local network's
 * environment, until it answers.
 */
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { LocalnetError, reasonOf } from "../LocalnetError.ts"

const patience = "90 seconds"

const ask = (url: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { signal })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => new LocalnetError({ message: reasonOf(cause) })
  }).pipe(
    Effect.flatMap(({ status, text }) =>
      status === 200
        ? Effect.void
        : Effect.fail(
          new LocalnetError({
            message: `GET ${new URL(url).pathname} was answered with ${status}: ${text.slice(0, 300)}`
          })
        )
    )
  )

/** Polls `url` until it answers 200. Errors: its last answer, after 90 s. */
const ready = Effect.fnUntraced(function*(service: string, url: string) {
  let last = "no answer"
  yield* ask(url).pipe(
    Effect.tapError((error) =>
      Effect.sync(() => {
        last = error.message
      })
    ),
    Effect.catch(() => Effect.as(Effect.sleep(25), false)),
    Effect.repeat({ while: (answer) => answer === false }),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new LocalnetError({ message: `${service} is not ready after 90 s: ${last}` }))
    })
  )
})

const startService = <E>(
  service: string,
  host: Layer.Layer<never, E>,
  url: string
): Effect.Effect<void, LocalnetError, Scope.Scope> =>
  Layer.build(host).pipe(
    Effect.mapError((error) => new LocalnetError({ message: `${service} did not start: ${reasonOf(error)}` })),
    Effect.andThen(ready(service, url))
  )

/** Runs the transfer service until the scope closes. */
export const start = <E>(host: Layer.Layer<never, E>, url: string) =>
  startService("the transfer service", host, `${url}/ready`)

/** Runs the oracle until the scope closes. It is ready when it listens, because its chains answer already. */
export const startOracle = <E>(host: Layer.Layer<never, E>, url: string) =>
  startService("the oracle", host, `${url}/lives/v1`)
