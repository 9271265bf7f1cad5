/** An HTTP server on the loopback that acts as nodes, for facts shown at the wire. It ends with the scope. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"

/** A JSON-RPC call. */
export interface Call {
  readonly id: number
  readonly method: unknown
  readonly params: ReadonlyArray<unknown>
}

/** Returns the server's URL. `answer` returns the body for a path and what was posted to it. */
export const serveNodes = (
  answer: (path: string, posted: string) => string
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
          response.end(answer(request.url ?? "/", Buffer.concat(chunks).toString()))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ url }) => url))
