/** A receiver of webhooks on the loopback, as an app developer would write one, with scripted faults. */
import { Effect } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly json: {
    readonly event: string
    readonly id: string
    readonly sequence: number
    readonly timestamp: number
    readonly data: Readonly<Record<string, unknown>>
  }
}

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: ReadonlyArray<Received>
  /** Answers the next requests. Default: 200. */
  answer: (response: ServerResponse, received: Received) => void
}

const ok = (response: ServerResponse) => {
  response.writeHead(200).end("thanks")
}

/** Listens on a free port, or on the given one. Ends with the scope, at once and with every connection. */
export const startReceiver = (port = 0) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<Receiver & { readonly stop: () => Promise<void> }>((resolve) => {
        const received: Array<Received> = []
        const server = createServer((request, response) => {
          let body = ""
          request.setEncoding("utf8").on("data", (chunk: string) => {
            body += chunk
          }).on("end", () => {
            const one = {
              path: request.url ?? "",
              headers: request.headers,
              body,
              json: JSON.parse(body) as Received["json"]
            }
            received.push(one)
            receiver.answer(response, one)
          })
        })
        const stop = () =>
          new Promise<void>((done) => {
            server.close(() => {
              done()
            })
            server.closeAllConnections()
          })
        let receiver: Receiver & { readonly stop: () => Promise<void> }
        server.listen(port, "127.0.0.1", () => {
          const { port: bound } = server.address() as AddressInfo
          receiver = { url: `http://127.0.0.1:${bound}/hook`, port: bound, received, answer: ok, stop }
          resolve(receiver)
        })
      })
    ),
    ({ stop }) => Effect.promise(stop)
  )

/** Waits, in real time, until a check holds. Otherwise dies with the name of the check. */
export const eventually = Effect.fnUntraced(
  function*<A>(what: string, look: () => A | undefined | false, seconds: number = 300) {
    const until = Date.now() + seconds * 1_000
    while (Date.now() < until) {
      const found = look()
      if (found !== undefined && found !== false) return found
      yield* Effect.sleep(30)
    }
    return yield* Effect.die(new Error(`not within ${seconds} s: ${what}`))
  }
)
