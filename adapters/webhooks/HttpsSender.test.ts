/** The sender against real sockets: which answers it accepts, how long it waits, and where it never connects. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { createServer as createTcpServer } from "node:net"
import type { AddressInfo, Server } from "node:net"
import { TLSSocket } from "node:tls"
import { WebhookSender } from "../../ports/webhook/WebhookSender.ts"
import type { SendFailure, SendOutcome } from "../../src/domain/webhook/WebhookOutcome.ts"
import * as HttpsSender from "./HttpsSender.ts"
import type { Resolve, SenderOptions } from "./HttpsSender.ts"
import { certificateFor } from "./testing/Certificate.ts"

/** The port of a server that ends with the scope. */
const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed(port))
      })
    }),
    () => Effect.sync(() => server.close())
  )

const answering = Effect.fnUntraced(function*(listener: RequestListener) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    listener(request, response)
  })
  const port = yield* listen(server)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closeAllConnections()
    })
  )
  return { port, count: () => requests }
})

/** Nothing that is not about time waits for the deadline. */
const HOUR = 3_600_000

const send = (url: string, options: Partial<SenderOptions> = {}) =>
  Effect.flatMap(
    WebhookSender,
    (sender) => sender.send(url, { "content-type": "application/json", "x-a": "b" }, "{\"é\":1}")
  ).pipe(
    Effect.provide(HttpsSender.layer({ reach: "local", deadline: HOUR, ...options }))
  )

const failed = (failure: SendFailure): SendOutcome => ({ _tag: "Failed", failure })

/** A resolver that returns each list once and the last one for ever, and counts its calls. */
const answers = (...lists: ReadonlyArray<ReadonlyArray<string>>) => {
  const asked: Array<string> = []
  const resolve: Resolve = (host) => {
    asked.push(host)
    const list = lists[Math.min(asked.length, lists.length) - 1] ?? []
    return Promise.resolve(list.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })))
  }
  return { asked, resolve }
}

describe("sending a webhook", () => {
  it.live("posts headers and body, and keeps only the status", () =>
    Effect.gen(function*() {
      let seen = ""
      const server = yield* answering((request, response) => {
        request.setEncoding("utf8").on("data", (chunk: string) => {
          seen += chunk
        }).on("end", () => {
          seen += ["", request.method, request.url, request.headers["x-a"], request.headers.host].join(" ")
          response.writeHead(204).end()
        })
      })
      assert.deepStrictEqual(yield* send(`http://127.0.0.1:${server.port}/a/b?c=d`), { _tag: "Answered", status: 204 })
      assert.strictEqual(seen, `{"é":1} POST /a/b?c=d b 127.0.0.1:${server.port}`)
    }).pipe(Effect.scoped))

  it.live("judges a redirect, a refusal and an endless body by their status", () =>
    Effect.gen(function*() {
      const target = yield* answering((_, response) => response.end())
      let open = 0
      const server = yield* answering((request, response) => {
        const status = Number(request.url?.slice(1))
        response.writeHead(status, status === 302 ? { location: `http://127.0.0.1:${target.port}/` } : {})
        // The body never ends, so the sender must not wait for its end.
        const timer = setInterval(() => response.write("more".repeat(1_000)), 5)
        open += 1
        response.on("close", () => {
          clearInterval(timer)
          open -= 1
        })
      })
      for (const status of [200, 302, 410, 500]) {
        assert.deepStrictEqual(yield* send(`http://127.0.0.1:${server.port}/${status}`), { _tag: "Answered", status })
      }
      assert.strictEqual(target.count(), 0)
      // Nothing of them stays connected.
      yield* Effect.repeat(Effect.sleep(5), { until: () => open === 0 })
    }).pipe(Effect.scoped))

  it.live("gives up on a server that hangs, drips, breaks off or is absent", () =>
    Effect.gen(function*() {
      const hanging = yield* answering(() => undefined)
      const silent = yield* listen(createTcpServer(() => undefined))
      const dripping = yield* listen(createTcpServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx-a: ")
        const timer = setInterval(() => socket.write("b"), 20)
        socket.on("close", () => {
          clearInterval(timer)
        }).on("error", () => undefined)
      }))
      const breaking = yield* listen(createTcpServer((socket) => socket.destroy()))
      const talking = yield* listen(createTcpServer((socket) => {
        socket.on("error", () => undefined).end("SSH-2.0-OpenSSH\r\n")
      }))
      const large = yield* answering((_, response) => {
        response.writeHead(200, { "x-a": "b".repeat(12_000), "x-c": "d".repeat(12_000) }).end()
      })
      const gone = yield* Effect.scoped(listen(createTcpServer()))
      for (
        const [port, failure] of [
          [hanging.port, "timeout"],
          [silent, "timeout"],
          [dripping, "timeout"],
          [breaking, "unreachable"],
          [talking, "unreachable"],
          [large.port, "unreachable"],
          [gone, "unreachable"]
        ] as const
      ) {
        const deadline = failure === "timeout" ? 700 : HOUR
        const outcome = yield* send(`http://127.0.0.1:${port}/`, { deadline })
        assert.deepStrictEqual(outcome, failed(failure), `${port} ${failure}`)
      }
      assert.deepStrictEqual(yield* send(`https://127.0.0.1:${hanging.port}/`), failed("tls"), "no TLS there")
    }).pipe(Effect.scoped))

  it.live("accepts only a certificate for the name, at the address that was checked", () =>
    Effect.gen(function*() {
      const certificate = certificateFor("app.example")
      const hosts: Array<unknown> = []
      const server = createTlsServer(certificate, (request, response) => {
        hosts.push(request.headers.host, request.socket instanceof TLSSocket && request.socket.servername)
        response.writeHead(200).end()
      })
      const port = yield* listen(server)
      const { resolve } = answers(["127.0.0.1"])
      const ca = certificate.cert
      assert.deepStrictEqual(yield* send(`https://app.example:${port}/`, { resolve, ca }), {
        _tag: "Answered",
        status: 200
      })
      assert.deepStrictEqual(hosts, [`app.example:${port}`, "app.example"])
      assert.deepStrictEqual(
        yield* send(`https://other.example:${port}/`, { resolve, ca }),
        failed("tls"),
        "another name"
      )
      assert.deepStrictEqual(yield* send(`https://127.0.0.1:${port}/`, { ca }), failed("tls"), "no name")
      assert.deepStrictEqual(
        yield* send(`https://app.example:${port}/`, { resolve }),
        failed("tls"),
        "an authority that nobody knows"
      )
      assert.strictEqual(hosts.length, 2, "nothing is sent before")
    }).pipe(Effect.scoped))

  it.live("connects to no address that is not public, by any name, and resolves each name once", () =>
    Effect.gen(function*() {
      const server = yield* answering((_, response) => response.end())
      const { port } = server
      const resolving = (...lists: ReadonlyArray<ReadonlyArray<string>>) =>
        ({ reach: "public", resolve: answers(...lists).resolve }) as const
      const url = `https://app.example:${port}/`
      for (
        const address of [
          "127.0.0.1",
          "::1",
          "10.0.0.1",
          "169.254.169.254",
          "::ffff:127.0.0.1",
          "::ffff:7f00:1",
          "64:ff9b::7f00:1",
          "2002:7f00:1::",
          "0.0.0.0",
          "::",
          "fe80::1",
          "224.0.0.1"
        ]
      ) {
        assert.deepStrictEqual(yield* send(url, resolving([address])), failed("refused-address"), address)
        assert.deepStrictEqual(
          yield* send(url, resolving(["1.1.1.1", address])),
          failed("refused-address"),
          `among public ones: ${address}`
        )
      }
      assert.deepStrictEqual(yield* send(url, resolving([])), failed("unknown-host"))
      for (
        const literal of [
          `http://127.0.0.1:${port}/`,
          `https://127.0.0.1:${port}/`,
          "https://169.254.169.254/",
          "https://[::1]/",
          `http://app.example:${port}/`
        ]
      ) {
        assert.deepStrictEqual(yield* send(literal, resolving(["127.0.0.1"])), failed("refused-address"), literal)
      }
      assert.deepStrictEqual(
        yield* send("https://localhost/", { reach: "public" }),
        failed("refused-address"),
        "by the system's own resolver"
      )
      assert.deepStrictEqual(
        yield* send("http://169.254.169.254/", { reach: "local" }),
        failed("refused-address"),
        "locally neither"
      )

      // Rebinding: public when it is judged, the loopback when it is resolved again.
      const rebinding = answers(["203.0.114.1"], ["127.0.0.1"])
      const outcome = yield* send(url, { reach: "public", resolve: rebinding.resolve })
      assert.strictEqual(outcome._tag, "Failed")
      assert.notDeepEqual(outcome, failed("refused-address"))
      assert.deepStrictEqual(rebinding.asked, ["app.example"], "asked once")
      assert.strictEqual(server.count(), 0)
      // The reverse: the sender connects to the address that was judged.
      const pinned = answers(["127.0.0.1"], ["192.0.2.1"])
      assert.deepStrictEqual(yield* send(`http://app.example:${port}/`, { resolve: pinned.resolve }), {
        _tag: "Answered",
        status: 200
      })
      assert.deepStrictEqual(pinned.asked, ["app.example"])
      assert.strictEqual(server.count(), 1)
    }).pipe(Effect.scoped))
})
