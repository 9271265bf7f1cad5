/** `causeway attest` against a wire that answers as an oracle does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { runCommand } from "../testing/RunCommand.ts"

const id = `0x${"ab".repeat(32)}`
const oracle = `0x${"0a".repeat(20)}`
const attested = {
  messages: [{
    data: { chainId: "alpha", transactionId: id },
    result: { onchainId: id, depository: oracle, depositId: id, depositor: oracle, currency: oracle, amount: "25" },
    signature: { oracle, signature: "0x01" }
  }],
  execution: { idempotencyKey: id, actions: [], signatures: [{ oracleSigner: oracle, signature: "0x02" }] }
}

/** Answers by the transaction that it is asked about. Without the key it answers as an oracle that has keys. */
const answering = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly bodies: Array<string>; readonly end: () => void }>((resume) => {
    const bodies: Array<string> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString()
      }).on("end", () => {
        bodies.push(body)
        const [status, answer] = request.headers["x-api-key"] !== "key"
          ? [401, { error: "Unauthorized" }]
          : body.includes("late")
          ? [400, { message: "3 of 6 confirmations", reason: "not-final" }]
          : [200, body.includes("none") ? { messages: [] } : attested]
        response.writeHead(status).end(JSON.stringify(answer))
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const end = () => {
        server.close()
        server.closeAllConnections()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, bodies, end }))
    })
  }),
  ({ end }) => Effect.sync(end)
)

describe("causeway attest", () => {
  it.live("shows what the oracle attests, and its reason where it does not", () =>
    Effect.gen(function*() {
      const { bodies, url } = yield* answering
      const ask = (transaction: string, ...more: ReadonlyArray<string>) =>
        runCommand(["attest", transaction, "--chain", "alpha", "--oracle-url", url, ...more], { ORACLE_API_KEY: "key" })
      const shown = yield* ask(id)
      assert.deepStrictEqual([shown.code, shown.error], [0, ""])
      assert.include(shown.out, `amount        25 smallest units of ${oracle}\n`)
      const whole = yield* ask(id, "--json", "--peers")
      assert.deepStrictEqual(JSON.parse(whole.out), attested)
      assert.deepStrictEqual(bodies.map((body): unknown => JSON.parse(body)), [
        { chainId: "alpha", transactionId: id },
        { chainId: "alpha", transactionId: id, requestPeerSignatures: true }
      ])
      const late = yield* ask("late", "--json")
      assert.deepStrictEqual([late.code, late.out], [
        1,
        "{\"error\":{\"reason\":\"not-final\",\"message\":\"3 of 6 confirmations\"}}\n"
      ])
      assert.include((yield* ask("none")).error, "deposits nothing")
      const stranger = yield* runCommand(["attest", id, "--chain", "alpha", "--oracle-url", url, "--json"])
      assert.include(stranger.out, "\"reason\":\"refused\"")
      const nobody = yield* runCommand([
        "attest",
        id,
        "--chain",
        "alpha",
        "--oracle-url",
        "http://127.0.0.1:1",
        "--json"
      ])
      assert.include(nobody.out, "\"reason\":\"no-answer\"")
    }).pipe(Effect.scoped))
})
