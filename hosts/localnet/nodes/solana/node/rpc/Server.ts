/** The chain's interface on one port of the loopback: JSON-RPC by POST, and subscriptions over a WebSocket. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Deferred, Effect, Exit, Layer, Queue, Schema } from "effect"
import type { Scope } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as WebSocket from "effect/socket/Socket"
import type { Server } from "node:http"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import type { Chain } from "../Chain.ts"
import { accountMethods } from "./AccountMethods.ts"
import { blockMethods } from "./BlockMethods.ts"
import { dispatch, failure, Message } from "./Dispatch.ts"
import { IDLE_MS } from "../../../NodeServer.ts"
import type { Fault } from "./Faults.ts"
import { concerns } from "./Faults.ts"
import { forgetting } from "./Forgetting.ts"
import { toJson } from "./Json.ts"
import type { Methods } from "./Methods.ts"
import { sendMethods } from "./SendMethods.ts"
import { openConnection } from "./Subscriptions.ts"
import { transactionMethods } from "./TransactionMethods.ts"

const Body = Schema.fromJsonString(Schema.Union([Message, Schema.Array(Message)]))

const json = (body: unknown) => HttpServerResponse.text(toJson(body), { contentType: "application/json" })

/** The answer to one message, as the current fault changes it. A complete response when that is not JSON. */
const answer = Effect.fnUntraced(
  function*(methods: Methods, message: Message, fault: Fault | undefined, ended: Deferred.Deferred<void>) {
    if (fault === undefined || !concerns(fault, message.method)) return dispatch(methods, message)
    switch (fault.kind) {
      case "delay":
        yield* Effect.sleep(fault.milliseconds)
        return dispatch(methods, message)
      case "hang":
        // Until the chain ends: a request that is never answered must not delay the end.
        return yield* Effect.andThen(Deferred.await(ended), Effect.fail(503))
      case "status":
        return yield* Effect.fail(fault.status)
      case "error":
        return failure(message.id, fault.code, fault.message, fault.data)
      case "forgets":
        return dispatch(forgetting(methods, fault), message)
      case "lie":
        return dispatch(methods, message, (result) => fault.tell(result, message.method, message.params))
    }
  }
)

const post = Effect.fnUntraced(
  function*(methods: Methods, fault: () => Fault | undefined, ended: Deferred.Deferred<void>) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = Schema.decodeUnknownExit(Body)(yield* request.text)
    if (Exit.isFailure(body)) return json(failure(null, -32700, "Parse error"))
    const one = (message: Message) => answer(methods, message, fault(), ended)
    const { value } = body
    return yield* ("method" in value ? one(value) : Effect.forEach(value, one)).pipe(
      Effect.map(json),
      Effect.catch((status) => Effect.succeed(HttpServerResponse.text("", { status })))
    )
  }
)

const subscriptions = (chain: Chain) =>
  Effect.scoped(Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const socket = yield* request.upgrade
    const out = yield* Queue.unbounded<string>()
    const send = (message: unknown) => void Queue.offerUnsafe(out, toJson(message))
    const connection = openConnection(chain, (method, subscription, result) =>
      send({ jsonrpc: "2.0", method, params: { result, subscription } }))
    yield* Effect.addFinalizer(() =>
      Effect.sync(connection.close)
    )
    const writer = yield* socket.writer
    yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(out), writer.write)))
    const pull = yield* WebSocket.readerString(socket)
    return yield* Effect.forever(Effect.map(pull, (texts) => {
      for (const text of texts) {
        const message = Schema.decodeUnknownExit(Schema.fromJsonString(Message))(text)
        send(
          Exit.isSuccess(message) ? dispatch(connection.methods, message.value) : failure(null, -32700, "Parse error")
        )
      }
    }))
  })).pipe(Effect.ignore, Effect.as(HttpServerResponse.empty()))

/** Cuts every connection, also new ones: subscriptions and kept-alive connections would delay the end. */
const cutting = (server: Server): () => void => {
  const sockets = new Set<Socket>()
  let ended = false
  server.on("connection", (socket) => {
    if (ended) socket.destroy()
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  return () => {
    ended = true
    for (const socket of sockets) socket.destroy()
  }
}

/** Serves the chain until the scope closes. Dies when the port cannot be bound. */
export const serve = Effect.fnUntraced(
  function*(chain: Chain, port: number, fault: () => Fault | undefined): Effect.fn.Return<void, never, Scope.Scope> {
    const methods: Methods = {
      ...blockMethods(chain),
      ...accountMethods(chain),
      ...transactionMethods(chain),
      ...sendMethods(chain)
    }
    const ended = yield* Deferred.make<void>()
    const app = Effect.flatMap(
      HttpServerRequest.HttpServerRequest,
      (request) =>
        request.headers["upgrade"] === undefined ? Effect.orDie(post(methods, fault, ended)) : subscriptions(chain)
    )
    const server = createServer({ keepAliveTimeout: IDLE_MS })
    const cut = cutting(server)
    const listening = NodeHttpServer.layer(() => server, { port, host: "127.0.0.1", disablePreemptiveShutdown: true })
    yield* Layer.build(HttpServer.serve(app).pipe(Layer.provide(listening), Layer.orDie))
    yield* Effect.addFinalizer(() => Effect.andThen(Deferred.succeed(ended, undefined), Effect.sync(cut)))
  }
)
