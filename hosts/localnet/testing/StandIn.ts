/**
 * A transfer service that is ready and does nothing: for tests of the run
 * around it.
 */
import { Config, Effect, Layer } from "effect"
import { createServer } from "node:http"

export const standIn = Layer.effectDiscard(
  Effect.gen(function*() {
    const port = yield* Config.Port("TRANSFER_PORT")
    const server = createServer((request, response) => {
      response.writeHead(request.url === "/ready" ? 200 : 404, { "content-type": "application/json" })
      response.end("{}")
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
  })
)
