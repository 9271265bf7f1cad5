/**
 * A transfer service and an oracle that are ready and do nothing: for tests of
 * the run around them.
 */
import { Config, Effect, Layer } from "effect"
import { createServer } from "node:http"

const answering = (variable: string, path: string) => Layer.effectDiscard(
  Effect.gen(function*() {
    const port = yield* Config.Port(variable)
    const server = createServer((request, response) => {
      response.writeHead(request.url === path ? 200 : 404, { "content-type": "application/json" })
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

/** Each on the port of its variable. */
export const standIns = { transfer: answering("TRANSFER_PORT", "/ready"), oracle: answering("HTTP_PORT", "/lives/v1") }
