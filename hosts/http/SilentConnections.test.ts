/** Silent connections gain a stranger nothing: they are closed, and no other client's connections are. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { makeBoundedServer, silenceBounds } from "./SilentConnections.ts"
import type { SilenceBounds } from "./SilentConnections.ts"

const never = 3_600_000

/** A server that answers "/" at once, reads a body, and streams at "/stream" for ever. */
const serving = (bounds: Partial<SilenceBounds>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }>((resume) => {
      const server = makeBoundedServer({ ...silenceBounds, head: never, request: never, quiet: never, ...bounds })
      server.on("request", (request, response) => {
        if (request.url === "/stream") response.write("begun")
        else request.resume().on("end", () => response.end("answered"))
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed({
          port: typeof address === "object" && address !== null ? address.port : 0,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

interface Connection {
  readonly said: () => string
  readonly isClosed: () => boolean
  readonly closed: Effect.Effect<void>
  readonly says: (text: string) => Effect.Effect<void>
  readonly send: (text: string) => void
}

const open = (port: number, text = "") =>
  Effect.acquireRelease(
    Effect.callback<Connection & { readonly end: () => void }>((resume) => {
      let said = ""
      let isClosed = false
      const socket = connect(port, "127.0.0.1", () => {
        if (text !== "") socket.write(text)
        const when = (is: () => boolean) =>
          Effect.callback<void>((done) => {
            const look = () => {
              if (is()) done(Effect.void)
            }
            socket.on("data", look).on("close", look)
            look()
          })
        resume(Effect.succeed({
          said: () => said,
          isClosed: () => isClosed,
          closed: when(() => isClosed),
          says: (part) => when(() => said.includes(part)),
          send: (more) => {
            socket.write(more)
          },
          end: () => {
            socket.destroy()
          }
        }))
      })
      socket.on("data", (part) => {
        said += part.toString()
      }).on("error", () => undefined).on("close", () => {
        isClosed = true
      })
    }),
    ({ end }) => Effect.sync(end)
  )

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`

it.live("beyond the limit the longest silent connections are closed; requests, streams and idle known connections are not", () =>
  Effect.scoped(Effect.gen(function*() {
    const { port } = yield* serving({ waitingOfClient: 4 })
    const stream = yield* open(port, get("/stream"))
    yield* stream.says("begun")
    const kept = yield* open(port, get("/"))
    yield* kept.says("answered")
    const silent = []
    for (let index = 0; index < 9; index++) {
      silent.push(
        yield* open(port, ["", "GET / HT", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc"][index % 3])
      )
    }
    yield* Effect.forEach(silent.slice(0, 5), ({ closed }) => closed)
    const honest = yield* open(port, get("/"))
    yield* honest.says("answered")
    kept.send(get("/"))
    yield* kept.says("answered")
    assert.deepStrictEqual([stream, kept, ...silent.slice(-3)].map(({ isClosed }) => isClosed()), [
      false,
      false,
      false,
      false,
      false
    ])
    const slow = silent[8]
    slow?.send("defghi")
    yield* slow?.says("answered") ?? Effect.void
  })))

it.live("heads and bodies are awaited for a limited time, also from a client that reads nothing", () =>
  Effect.scoped(Effect.gen(function*() {
    const { port } = yield* serving({ head: 1_000, request: 2_000, quiet: never })
    const waiting = [
      yield* open(port),
      yield* open(port, "GET / HT"),
      yield* open(port, "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nabc")
    ]
    const stream = yield* open(port, get("/stream"))
    yield* Effect.forEach(waiting, ({ closed }) => closed)
    assert.isFalse(stream.isClosed())
    const quiet = yield* serving({ quiet: 200 })
    yield* (yield* open(quiet.port, get("/stream"))).closed
  })))

it.live("all clients together have a limit, too", () =>
  Effect.scoped(Effect.gen(function*() {
    const { port } = yield* serving({ waiting: 2 })
    const [first] = [yield* open(port), yield* open(port), yield* open(port)]
    yield* first.closed
    const last = yield* open(port, get("/"))
    yield* last.says("answered")
  })))
