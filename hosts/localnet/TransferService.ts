/**
 * The transfer service in this very process: the host's own layer, given the
 * local network's environment, and awaited until it says that it is ready.
 */
import { Effect, Layer } from "effect"
import type { Scope } from "effect"
import { LocalnetError, reasonOf } from "./LocalnetError.ts"

const patience = "30 seconds"

const ask = (url: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/ready`, { signal })
      return { status: response.status, text: await response.text() }
    },
    catch: (cause) => new LocalnetError({ message: reasonOf(cause) })
  }).pipe(
    Effect.flatMap(({ status, text }) =>
      status === 200
        ? Effect.void
        : Effect.fail(new LocalnetError({ message: `GET /ready was answered with ${status}: ${text.slice(0, 300)}` }))
    )
  )

/** Polls `GET /ready` until it answers 200. Errors: its last answer, after 30 s. */
const ready = Effect.fnUntraced(function*(url: string) {
  let last = "no answer"
  yield* ask(url).pipe(
    Effect.tapError((error) => Effect.sync(() => { last = error.message })),
    Effect.catch(() => Effect.as(Effect.sleep(25), false)),
    Effect.repeat({ while: (answer) => answer === false }),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(new LocalnetError({ message: `the transfer service is not ready after 30 s: ${last}` }))
    })
  )
})

/** Runs the service until the scope closes. */
export const start = <E>(
  host: Layer.Layer<never, E>,
  url: string
): Effect.Effect<void, LocalnetError, Scope.Scope> =>
  Layer.build(host).pipe(
    Effect.mapError((error) => new LocalnetError({ message: `the transfer service did not start: ${reasonOf(error)}` })),
    Effect.andThen(ready(url))
  )
