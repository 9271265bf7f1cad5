import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { localnet, withFamilies } from "../demo/testing/Described.ts"
import { statusOf } from "./Status.ts"
import { statusLines } from "./StatusText.ts"

const ID = `0x${"ab".repeat(32)}`

/** Answers as the transfer service, the oracle and every node. Operators and the demo's key alone see requests. */
const answering = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly end: () => void }>((resume) => {
    const server = createServer(({ headers, url = "" }, response) => {
      const bodies: Readonly<Record<string, object>> = {
        "/node": { result: "0x2a" },
        "/ready": {
          status: "not ready",
          problems: ["chain beta is away"],
          chains: [
            { id: "alpha", serves: true, problems: [] },
            { id: "beta", serves: false, problems: ["chain beta is away"] }
          ]
        },
        "/lives/v1": { status: "ok" },
        ...(headers.authorization === "Bearer operator" ? { "/admin/overview": { unended: 3, stuck: [] } } : {}),
        ...(headers["x-api-key"] === "demo" ? { "/requests": { requests: [{ id: ID, status: "waiting" }] } } : {})
      }
      const body = bodies[url.split("?")[0] ?? ""]
      response.writeHead(body === undefined ? 404 : url === "/ready" ? 503 : 200)
      response.end(JSON.stringify(body ?? {}))
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const end = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, end }))
    })
  }),
  ({ end }) => Effect.sync(end)
)

describe("the status of the local network", () => {
  it.live("has heights, what is served and why not, and the requests", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* answering
      const status = yield* statusOf({
        ...localnet,
        transferUrl: url,
        oracleUrl: url,
        adminToken: "operator",
        demo: { ...localnet.demo, apiKey: "demo" },
        chains: localnet.chains.map((chain) => ({ ...chain, rpcUrl: `${url}/node` }))
      })
      assert.deepStrictEqual(status.services.map(({ answers }) => answers), [true, true])
      assert.deepStrictEqual(status.chains.map(({ height, id, serves }) => [id, height, serves]), [
        ["alpha", 42, true],
        ["beta", 42, false],
        ["hub", null, null]
      ])
      assert.deepStrictEqual(status.requests, { open: 3, stuck: [], last: [{ id: ID, status: "waiting" }] })
      const lines = statusLines(status)
      assert.lengthOf(lines.filter((line) => line === "chain beta is away"), 1)
      assert.isTrue(lines.every((line) => line.length <= 80))
    })))

  it.live("is told of a network whose parts do not answer", () =>
    Effect.gen(function*() {
      const { chains, requests, services } = yield* statusOf(withFamilies)
      assert.deepStrictEqual(services.map(({ answers }) => answers), [false, false])
      assert.isTrue(chains.every(({ height, serves }) => height === null && serves === null))
      assert.isAtLeast(chains.length, 7)
      assert.deepStrictEqual(requests, { open: null, stuck: [], last: [] })
    }))
})
