/**
 * Attestations of deposits that are answered ahead of the router, against the router itself: a doubled slash is another
 * spelling of the same path, which only the router knows. Status, bytes, headers, metrics and log lines are the same,
 * whatever is asked.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createConnection } from "node:net"
import { generatePrivateKey } from "viem/accounts"
import chains from "../../../../configs/chains.local.json" with { type: "json" }
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startInstance } from "../../testing/OracleInstance.ts"
import { idOf, stubChain } from "../../testing/StubChain.ts"
import type { Kind } from "../../testing/StubChain.ts"
import { eventually } from "../../../transfer/testing/Misbehaving.ts"

const PATH = "/attestations/depository-deposits/v1"
const KEY = "first-key"

const start = Effect.gen(function*() {
  const [alpha = assert.fail("no chain")] = chains
  return yield* startInstance({
    ENVIRONMENT: "local",
    CHAINS: "alpha",
    ALPHA_RPC_URL: yield* stubChain(alpha),
    HUB_RPC_URL: "http://127.0.0.1:9",
    HUB_ALLOCATOR: `0x${"a1".repeat(20)}`,
    ECDSA_PRIVATE_KEY: generatePrivateKey(),
    API_KEYS: `${KEY}:test`,
    ACCESS_LOG_RATIO: "1"
  })
})

class Running extends fixtureOf<Running>()("test/DirectDeposits", start) {}

interface Question {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const json = { "content-type": "application/json", "x-api-key": KEY }

const ask = (target: string, { body, headers = json }: Question) =>
  Effect.promise(async () => {
    const response = await fetch(target, { method: "POST", body, headers })
    const { date: _date, "x-request-id": id, ...others } = Object.fromEntries(response.headers)
    return { status: response.status, text: await response.text(), headers: others, hasId: (id ?? "").length > 0 }
  })

const both = Effect.fnUntraced(function*(question: Question) {
  const { url } = yield* Running
  const direct = yield* ask(`${url}${PATH}`, question)
  const routed = yield* ask(`${url}/${PATH}`, question)
  assert.deepStrictEqual(direct, routed, question.body)
  return direct
})

const claim = (kind: Kind, more: object = {}) =>
  JSON.stringify({ chainId: "alpha", transactionId: idOf(kind), ...more })

/** Requests of this route that are counted, by the class of their status and the caller. */
const counted = Effect.gen(function*() {
  const { url } = yield* Running
  const page = yield* Effect.promise(async () =>
    (await fetch(`${url}/metrics`, { headers: { "x-api-key": KEY } })).text()
  )
  return new Map(
    page.split("\n").filter((line) =>
      line.startsWith("causeway_http_requests_total") && line.includes(`route="${PATH}"`)
    )
      .map((line): readonly [string, number] => {
        const [, status] = /status="([^"]*)"/u.exec(line) ?? []
        const [, caller] = /caller="([^"]*)"/u.exec(line) ?? []
        return [`${status} ${caller}`, Number(line.split(" ").at(-1))]
      })
  )
})

layer(Running.layer, { excludeTestServices: true })("attestations ahead of the router", (it) => {
  it.effect("are the router's, to the byte: what is attested, what is refused, and what cannot be read", () =>
    Effect.gen(function*() {
      // The chain is compared with its configuration first.
      yield* eventually(
        "attested",
        ask(`${(yield* Running).url}${PATH}`, { body: claim("deposit") }),
        ({ status }) => status === 200
      )
      const statuses = { deposit: 200, reverted: 400, pending: 400, unknown: 400, refused: 503, plain: 200 }
      for (const [kind, status] of Object.entries(statuses) as ReadonlyArray<[Kind, number]>) {
        const answer = yield* both({ body: claim(kind) })
        assert.strictEqual(answer.status, status, `${kind}: ${answer.text}`)
      }
      assert.strictEqual((yield* both({ body: claim("deposit", { requestPeerSignatures: false }) })).status, 200)
      assert.strictEqual((yield* both({ body: claim("deposit", { requestPeerSignatures: true }) })).status, 200)
      assert.strictEqual((yield* both({ body: JSON.stringify({ chainId: "beta", transactionId: "0x1" }) })).status, 400)
    }))

  it.effect("are left to the router where the body, its kind or the caller is not what it expects", () =>
    Effect.gen(function*() {
      const id = idOf("deposit")
      const good = JSON.stringify({ chainId: "alpha", transactionId: id })
      const bodies = [
        "",
        " ",
        "{",
        "null",
        "[]",
        "7",
        `${good} `,
        `\n${good}`,
        `${good}}`,
        `\ufeff${good}`,
        claim("deposit", { order: 1 }),
        claim("deposit", { requestPeerSignatures: "true" }),
        JSON.stringify({ chainId: "alpha" }),
        JSON.stringify({ chainId: "Alpha", transactionId: id }),
        JSON.stringify({ chainId: "alpha", transactionId: "" }),
        JSON.stringify({ chainId: "alpha", transactionId: "7".repeat(513) }),
        JSON.stringify({ chainId: "alpha", transactionId: "7".repeat(5_000) }),
        JSON.stringify({ chainId: "alpha", transactionId: id.toUpperCase().replace("0X", "0x") }),
        JSON.stringify({ chainId: "alpha", transactionId: "ä".repeat(64) }),
        `{"chainId":"beta","transactionId":"${id}","chainId":"alpha"}`,
        "x".repeat(1_100_000)
      ]
      for (const body of bodies) yield* both({ body })
      for (const type of ["text/plain", "application/json; charset=utf-8", "application/json;charset=latin1", "x"]) {
        yield* both({ body: good, headers: { ...json, "content-type": type } })
      }
      assert.strictEqual((yield* both({ body: good, headers: { ...json, "x-api-key": "other" } })).status, 401)
      assert.strictEqual((yield* both({ body: "{", headers: { "content-type": "application/json" } })).status, 401)
      assert.strictEqual((yield* both({ body: good, headers: { ...json, "content-encoding": "gzip" } })).status, 200)
    }))

  it.effect("are read wherever their bytes are cut, also behind another request on the same connection", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { hostname, port } = new URL(url)
      for (const body of [claim("deposit"), "{\"chainId\":1}"]) {
        const whole = yield* ask(`${url}${PATH}`, { body })
        const text = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: ${KEY}\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`
        for (const cuts of [[], [1], [text.length - 1], [text.length - body.length], [40, text.length - 30]]) {
          const received = yield* Effect.promise(() =>
            new Promise<string>((resolve, reject) => {
              let got = ""
              const socket = createConnection({ host: hostname, port: Number(port), noDelay: true })
              socket.on("error", reject).on("data", (chunk) => {
                got += chunk.toString()
                if (got.split(whole.text).length === 3) socket.destroy()
              }).on("close", () => resolve(got))
              const all = text + text
              const parts = [0, ...cuts, ...cuts.map((at) => text.length + at)].map((at, index, starts) =>
                all.slice(at, starts[index + 1])
              )
              const write = ([first, ...rest]: ReadonlyArray<string>) => {
                if (first === undefined) return
                socket.write(first, () => setTimeout(write, 5, rest))
              }
              write(parts)
            })
          )
          assert.strictEqual(received.split(`HTTP/1.1 ${whole.status}`).length, 3, received)
        }
      }
    }))

  it.effect("are counted and logged as the router's, with the caller's label and the request's own id", () =>
    Effect.gen(function*() {
      const { log, url } = yield* Running
      const before = yield* counted
      for (const kind of ["deposit", "reverted", "refused"] as const) yield* both({ body: claim(kind) })
      const named = yield* Effect.promise(() =>
        fetch(`${url}${PATH}`, {
          method: "POST",
          body: claim("deposit"),
          headers: { ...json, "x-request-id": "my-own.id" }
        })
      )
      assert.strictEqual(named.headers.get("x-request-id"), "my-own.id")
      const after = yield* counted
      const more = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0)
      assert.deepStrictEqual([more("2xx test"), more("4xx test"), more("5xx test")], [3, 2, 2])
      yield* eventually(
        "its access line",
        Effect.sync(() => log().filter((line) => line.includes("my-own.id"))),
        (lines) => lines.some((line) => line.includes(`"route":"${PATH}"`) && line.includes("\"caller\":\"test\""))
      )
    }))

  it.effect("a client that leaves before its body is complete is counted as one that has left", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { hostname, port } = new URL(url)
      const before = (yield* counted).get("aborted test") ?? 0
      for (const path of [PATH, `/${PATH}`]) {
        const socket = createConnection({ host: hostname, port: Number(port) })
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: ${KEY}\r\n` +
            "Content-Length: 80\r\n\r\n{",
          () => setTimeout(() => socket.destroy(), 20)
        )
      }
      yield* eventually("both counted", counted, (now) => (now.get("aborted test") ?? 0) === before + 2)
    }))
})
