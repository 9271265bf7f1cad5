import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { createServer } from "node:http"
import { openTron } from "./TronNode.ts"

/** A node with scripted status and body, and the paths that were requested. */
const saying = (say: () => readonly [number, string]) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly asked: Array<string>; readonly close: () => void }>((resume) => {
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        asked.push(request.url ?? "")
        const [status, body] = say()
        response.writeHead(status).end(body)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ url, asked, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe("a Tron node's client", () => {
  it.live("calls each interface at its place, however the node's base URL is written", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, url } = yield* saying(() => [200, JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x1" })])
      const bases = {
        "": "",
        "/": "",
        "/jsonrpc": "",
        "/a/key/": "/a/key",
        "/a/key/jsonrpc/": "/a/key",
        "/a?key=b": "/a"
      }
      for (const [written, base] of Object.entries(bases)) {
        const { jsonRpc, solidity, wallet } = yield* openTron(Redacted.make(`${url}${written}`))
        assert.deepStrictEqual(yield* jsonRpc([{ method: "eth_chainId", params: [] }], 60_000), ["0x1"])
        yield* wallet("getblock", {}, 60_000)
        yield* solidity("getblock", {}, 60_000)
        const query = written.includes("?") ? "?key=b" : ""
        assert.deepStrictEqual(asked.splice(0), [
          `${base}/jsonrpc${query}`,
          `${base}/wallet/getblock${query}`,
          `${base}/walletsolidity/getblock${query}`
        ], written)
      }
    })))

  it.live("names why there is no answer: a quota, a refusal with any status, no JSON, no server", () =>
    Effect.scoped(Effect.gen(function*() {
      let said: readonly [number, string] = [200, "{}"]
      const { url } = yield* saying(() => said)
      const { wallet } = yield* openTron(Redacted.make(url))
      const asking = Effect.map(
        Effect.result(wallet("getblock", {}, 60_000)),
        (read) => Result.isSuccess(read) ? "answered" : read.failure
      )
      const faults: ReadonlyArray<readonly [number, string, string]> = [
        [200, "{}", "answered"],
        [200, "{\"Error\":\"class java.lang.Exception : this node is a lite fullnode\"}", "refused"],
        [429, "{}", "over-quota"],
        [403, "{}", "refused"],
        // A node that limits requests, and a provider, say so with other statuses, too (TRON-31).
        [200, "{\"Error\":\"class java.lang.IllegalAccessException : lack of computing resources\"}", "over-quota"],
        [
          403,
          "{\"Error\":\"request rate exceeded the allowed_rps(10), and the query server is suspended for 5 s\"}",
          "over-quota"
        ],
        [500, "{}", "refused"],
        [200, "<html>", "undecodable"]
      ]
      for (const [status, body, expected] of faults) {
        said = [status, body]
        assert.strictEqual(yield* asking, expected, body)
      }
      const { jsonRpc } = yield* openTron(Redacted.make(url))
      const limits: ReadonlyArray<readonly [number, string, string]> = [
        [429, "", "over-quota"],
        [
          200,
          JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "rate limit exceeded" } }),
          "over-quota"
        ],
        [
          200,
          JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32_005, message: "exceed max block range: 5000" } }),
          "refused"
        ]
      ]
      for (const [status, body, expected] of limits) {
        said = [status, body]
        assert.strictEqual(yield* Effect.flip(jsonRpc([{ method: "eth_getLogs", params: [] }], 60_000)), expected, body)
      }
      const nobody = yield* openTron(Redacted.make("http://127.0.0.1:9"))
      assert.strictEqual(yield* Effect.flip(nobody.wallet("getblock", {}, 60_000)), "unreachable")
    })))
})
