import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { ask } from "./TimelineClient.ts"

/** A service with the same answer for every request. Ends with the scope. */
const answering = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((_, response) => response.writeHead(status, headers).end(body))
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const asked = (status: number, body: string, headers?: Readonly<Record<string, string>>) =>
  Effect.scoped(Effect.flatMap(answering(status, body, headers), ({ url }) => ask(url, "0x1")))

describe("requesting a timeline", () => {
  it.live("retries an unavailable service when told to, and accepts a refusal as final", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* asked(503, "{}"), { _tag: "Away", why: "it answers 503", waitMs: 1_000 })
      assert.deepStrictEqual(yield* asked(429, "{}", { "retry-after": "7" }), {
        _tag: "Away",
        why: "it answers 429",
        waitMs: 7_000
      })
      assert.deepStrictEqual(yield* asked(429, "{}", { "retry-after": "86400" }), {
        _tag: "Away",
        why: "it answers 429",
        waitMs: 60_000
      })
      assert.deepStrictEqual(yield* ask("http://127.0.0.1:9", "0x1"), {
        _tag: "Away",
        why: "it does not answer",
        waitMs: 1_000
      })
      assert.deepStrictEqual(yield* asked(404, "{\"message\":\"no request \\u001b[2Jhas this id\"}"), {
        _tag: "Refused",
        why: "no request \ufffd[2Jhas this id"
      })
      assert.deepStrictEqual(yield* asked(404, "<html>"), { _tag: "Refused", why: "it answers 404" })
      assert.strictEqual((yield* asked(200, "{\"id\":1}"))._tag, "Refused")
    }))
})
