import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createServer } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { BaseError, createPublicClient, HttpRequestError, RpcRequestError, TimeoutError } from "viem"
import { makeJsonRpcPool } from "../../quorum/rpc/JsonRpcPool.ts"
import { viemTransport } from "./ViemTransport.ts"

interface Call {
  readonly id: number
  readonly method: string
}

type Answer = (calls: ReadonlyArray<Call>, response: ServerResponse, request: IncomingMessage) => void

/** A node with scripted answers, and the requests that it got. */
const node = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      new Promise<{ readonly port: number; readonly requests: Array<number>; readonly close: () => void }>(
        (resolve) => {
          const requests: Array<number> = []
          const server = createServer((request, response) => {
            void text(request).then((body) => {
              const calls = JSON.parse(body) as ReadonlyArray<Call>
              requests.push(calls.length)
              answer(calls, response, request)
              return undefined
            })
          })
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resolve({
              port: typeof address === "object" && address !== null ? address.port : 0,
              requests,
              close: () => {
                server.closeAllConnections()
                server.close()
              }
            })
          })
        }
      )
    ),
    ({ close }) => Effect.sync(close)
  )

const clientOf = Effect.fnUntraced(function*(port: number, timeout: number) {
  const pool = yield* makeJsonRpcPool(
    Redacted.make(`http://somebody:pass%2Fword@127.0.0.1:${port}/secret-path?key=secret-query`)
  )
  return createPublicClient({ transport: viemTransport(pool, timeout), cacheTime: 0 })
})

const results: Answer = (calls, response) => {
  response.writeHead(200, { "content-type": "application/json" })
  // In another order than the calls.
  response.end(
    JSON.stringify(calls.toReversed().map(({ id }) => ({ jsonrpc: "2.0", id, result: `0x${id.toString(16)}` })))
  )
}

const failure = (port: number, timeout = 60_000) =>
  Effect.flatMap(
    clientOf(port, timeout),
    (client) =>
      Effect.promise(() =>
        client.getBlockNumber().then(
          () => undefined,
          (error: unknown) => error instanceof BaseError ? error : undefined
        )
      )
  )

describe("viem's calls over a pool of connections", () => {
  it.live("are batched when made together, at most fifty in a request, and each gets its own answer", () =>
    Effect.scoped(Effect.gen(function*() {
      const credentials: Array<string | undefined> = []
      const { port, requests } = yield* node((calls, response, request) => {
        credentials.push(request.headers.authorization)
        results(calls, response, request)
      })
      const client = yield* clientOf(port, 60_000)
      const balances = yield* Effect.promise(() =>
        Promise.all(
          Array.from({ length: 70 }, (_, index) =>
            client.getBalance({ address: `0x${index.toString(16).padStart(40, "0")}` }))
        )
      )
      assert.deepStrictEqual(requests, [50, 20])
      assert.deepStrictEqual(
        balances,
        Array.from({ length: 70 }, (_, index) => BigInt(index < 50 ? index + 1 : index - 49))
      )
      assert.deepStrictEqual(
        credentials,
        Array(2).fill(`Basic ${Buffer.from("somebody:pass/word").toString("base64")}`)
      )
    })))

  it.live("fail with viem's errors, which reveal neither the node's address nor text that it sent", () =>
    Effect.scoped(Effect.gen(function*() {
      const refusing = yield* node((calls, response) => {
        response.end(
          JSON.stringify(
            calls.map(({ id }) => ({ id, error: { code: 3, message: "execution reverted", data: "0x08c379a0" } }))
          )
        )
      })
      const limited = yield* node((_, response) => response.writeHead(429).end("secret-text"))
      // A limit for one call of the request, in a provider's words (EVM-10).
      const throttled = yield* node((calls, response) => {
        const error = { code: -32_012, message: "credits limited to 6000/sec, secret-text" }
        response.end(JSON.stringify(calls.map(({ id }) => ({ id, error }))))
      })
      const garbled = yield* node((_, response) => response.end("[{\"id\":7,\"result\":\"secret-text\"}]"))
      const silent = yield* node(() => undefined)
      const refused = yield* failure(refusing.port)
      const slowed = yield* failure(throttled.port)
      const [tooMany, nonsense, late, gone] = yield* Effect.all([
        failure(limited.port),
        failure(garbled.port),
        failure(silent.port, 100),
        failure(1)
      ], { concurrency: "unbounded" })
      const reverted = refused?.walk((cause) => cause instanceof RpcRequestError)
      assert.instanceOf(reverted, RpcRequestError)
      assert.strictEqual(reverted instanceof RpcRequestError ? reverted.data : undefined, "0x08c379a0")
      assert.isNull(slowed?.walk((cause) => cause instanceof RpcRequestError) ?? null)
      for (const error of [tooMany, slowed, nonsense, gone]) {
        assert.instanceOf(error?.walk((cause) => cause instanceof HttpRequestError), HttpRequestError)
      }
      assert.instanceOf(late?.walk((cause) => cause instanceof TimeoutError), TimeoutError)
      for (const error of [refused, slowed, tooMany, nonsense, late, gone]) {
        assert.isDefined(error)
        assert.notMatch(`${error?.message} ${error?.stack} ${error?.details}`, /secret|somebody|127\.0\.0\.1:/)
      }
    })))
})
