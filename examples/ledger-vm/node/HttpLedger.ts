/** A node of the ledger: the ledger in memory behind HTTP on the loopback interface, until the scope closes. */
import { Effect } from "effect"
import type { Scope } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage } from "node:http"
import { type MemoryLedger, type MemoryLedgerOptions, startMemoryLedger } from "./MemoryLedger.ts"

export interface HttpLedger extends MemoryLedger {
  readonly url: string
}

const MAX_BODY_BYTES = 64 * 1024

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new Error("the body is too large")
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  return text === "" ? undefined : JSON.parse(text)
}

const serverOf = ({ connection }: MemoryLedger) =>
  createServer((request, response) => {
    const write = (status: number, said: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(said))
    bodyOf(request)
      .then((body) =>
        Effect.runPromise(
          connection.call(
            { method: request.method === "POST" ? "POST" : "GET", path: request.url ?? "/", body },
            0
          )
        )
      )
      .then(({ said, status }) => write(status, said), () => write(400, { error: "no JSON, or too much of it" }))
  })

/** Serves a running ledger at one more address. Returns the URL. */
export const serveLedger = (ledger: MemoryLedger): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof serverOf>>((resume) => {
        const server = serverOf(ledger)
        server.once("error", (cause) => resume(Effect.die(cause)))
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    (server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    }
  )

export const startHttpLedger = Effect.fnUntraced(
  function*(options: MemoryLedgerOptions): Effect.fn.Return<HttpLedger, never, Scope.Scope> {
    const ledger = yield* startMemoryLedger(options)
    return { ...ledger, url: yield* serveLedger(ledger) }
  }
)
