/**
 * Quotes and prices that are answered ahead of the router, against the router itself: a doubled slash is another
 * spelling of the same path, which only the router knows. Status, bytes and headers are the same, whatever is asked, and
 * so is what limits, metrics and the log say of it.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { isDeepStrictEqual } from "node:util"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { limitsIn } from "../../../http/testing/LimitHeaders.ts"
import { askRaw } from "../../../http/testing/Spellings.ts"
import { nativeRequest, post } from "../../testing/Client.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { get } from "../../testing/Get.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const LIMIT = 3
/** Two for each path, so that each is asked once: the bucket of a key fills again while a slow machine asks. */
const keysOf = {
  "/price": ["cwk_one", "cwk_other"],
  "/quote": ["cwk_three", "cwk_four"],
  "/quote/v2": ["cwk_five", "cwk_six"]
} as const

class Running extends fixtureOf<Running>()(
  "test/DirectQuotes",
  startFixture(startNetwork, {
    keys: Object.values(keysOf).flat(),
    settings: {
      ADMIN_TOKEN,
      TRUSTED_PROXIES: "127.0.0.1",
      RATE_LIMIT_QUOTE: `${LIMIT}`,
      RATE_LIMIT_KEY_QUOTE: "9"
    }
  })
) {}

type Answer = Effect.Success<ReturnType<typeof askRaw>>

/** What may differ between two answers: their time, the ids that each got, and what is signed with them. */
const comparable = ({ headers, status, text }: Answer) => {
  const {
    "content-length": length,
    date: _date,
    ratelimit: _limit,
    "retry-after": _after,
    "x-request-id": id,
    ...others
  } = headers
  return {
    status,
    text: text.replaceAll(/"data":"0x[0-9a-f]+"/gu, "its call").replaceAll(/0x[0-9a-f]{64}/gu, "some id"),
    length: Number(length) === Buffer.byteLength(text),
    headers: others,
    hasId: id !== undefined && id.length > 0,
    limits: limitsIn(headers)
  }
}

const withoutFigures = (answer: Answer) => {
  const { text, ...others } = comparable(answer)
  return { ...others, text: text.replaceAll(/\d+/gu, "n") }
}

const comparableOf = ([direct, routed]: readonly [Answer, Answer]) => [comparable(direct), comparable(routed)] as const

let lastAddress = 0

/** A client that has asked nothing yet, as a trusted proxy reports it. */
const newClient = () => ({ "x-forwarded-for": `10.1.${(lastAddress += 1) >> 8}.${lastAddress & 255}` })

const paths = ["/price", "/quote", "/quote/v2"] as const
type Headers = Readonly<Record<string, string>>

interface Asked {
  readonly path?: typeof paths[number]
  readonly body?: string | Uint8Array
  readonly method?: string
  /** Lists of the same length instead of one of the two, so that each way has a client or key of its own. */
  readonly headers?: Headers | readonly [Headers, Headers]
}

const isPair = (headers: Headers | readonly [Headers, Headers]): headers is readonly [Headers, Headers] =>
  Array.isArray(headers)

/** How often both ways are asked again because the chains' fees have changed between the two. */
const PAIRS = 10

const both = Effect.fnUntraced(
  function*(url: string, { body = "", headers = {}, method = "POST", path = "/price" }: Asked) {
    const ask = (way: 0 | 1) =>
      askRaw({
        url,
        method,
        target: way === 0 ? path : `/${path}`,
        headers: {
          ...newClient(),
          "content-type": "application/json",
          "content-length": `${Buffer.byteLength(body)}`,
          ...(isPair(headers) ? headers[way] : headers)
        },
        body
      })
    let pair = [yield* ask(0), yield* ask(1)] as const
    // A refusal may name the fees, too.
    const haveFigures = pair.every(({ status, text }) => status === 200 || text.includes("\"AMOUNT_TOO_LOW\""))
    // A caller of its own is counted: it is not asked again.
    if (haveFigures && isPair(headers)) {
      assert.deepStrictEqual(withoutFigures(pair[0]), withoutFigures(pair[1]))
      return pair[0]
    }
    const pairs = haveFigures ? PAIRS : 1
    for (let n = 1; n < pairs && !isDeepStrictEqual(...comparableOf(pair)); n += 1) {
      pair = [yield* ask(0), yield* ask(1)]
    }
    const [direct, routed] = comparableOf(pair)
    assert.deepStrictEqual(direct, routed, `${path} ${JSON.stringify(headers)} ${body.toString()}`)
    return pair[0]
  }
)

const bodyOf = ({ chains, user }: Running["Service"], changes: object = {}) =>
  JSON.stringify(nativeRequest(user(0), chains.alpha, chains.beta, 10n ** 16n, changes))

/** The counter of a route's answers. */
const counted = Effect.fnUntraced(function*(url: string, route: string, status: string) {
  const page = yield* get(`${url}/metrics`)
  const line = page.text.split("\n").find((each) =>
    each.startsWith("causeway_http_requests_total") && each.includes(`route="${route}"`) &&
    each.includes(`status="${status}"`)
  )
  return Number(line?.split(" ").at(-1) ?? 0)
})

const eventually = Effect.fnUntraced(function*<A, R>(read: Effect.Effect<A, never, R>, until: (value: A) => boolean) {
  while (!until(yield* read)) yield* Effect.sleep("20 millis")
})

layer(Running.layer, { excludeTestServices: true })("quotes ahead of the router", (it) => {
  it.effect("are the router's, to the byte, but for ids", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { url } = running
      for (const path of paths) {
        const body = bodyOf(running)
        const answer = yield* both(url, { path, body })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
        assert.strictEqual(answer.headers["ratelimit"], `"quote";r=${LIMIT - 1};t=20`)
        yield* both(url, { path, body, headers: { origin: "https://elsewhere.example" } })
        yield* both(url, { path, body, headers: { accept: "text/html" } })
        const [one, other] = keysOf[path]
        yield* both(url, { path, body, headers: [{ "x-api-key": one }, { "x-api-key": other }] })
        yield* both(url, { path, body, headers: { "x-api-key": "" } })
        assert.strictEqual((yield* both(url, { path, body, headers: { "x-api-key": "cwk_unknown" } })).status, 401)
        const named = yield* both(url, { path, body, headers: { "x-request-id": "my-own.id" } })
        assert.strictEqual(named.headers["x-request-id"], "my-own.id")
        for (const method of ["GET", "HEAD", "OPTIONS", "PUT"]) yield* both(url, { path, method })
      }
    }))

  it.effect("are refused as the router refuses", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, url, user } = running
      const whole = bodyOf(running)
      const bodies = [
        "",
        "null",
        "[]",
        "{",
        `${whole} and more`,
        `\uFEFF${whole}`,
        ` ${whole}\n`,
        bodyOf(running, { amount: "-1" }),
        bodyOf(running, { amount: 5 }),
        bodyOf(running, { amount: "1" }),
        bodyOf(running, { amount: `${2n ** 256n}` }),
        bodyOf(running, { amount: `${10n ** 30n}` }),
        bodyOf(running, { user: "nobody" }),
        bodyOf(running, { user: null }),
        bodyOf(running, { ttl: 0 }),
        bodyOf(running, { ttl: 600, txsGasLimit: "100000", slippageTolerance: "50" }),
        bodyOf(running, { slippageTolerance: "10001" }),
        bodyOf(running, { appFees: [{ recipient: user(1), fee: "20" }] }),
        bodyOf(running, { txs: [{ to: user(1), value: "1", data: "0x" }] }),
        bodyOf(running, { txs: [{ to: user(1), value: "1", data: "0x1" }] }),
        bodyOf(running, { originChainId: 1 }),
        bodyOf(running, { destinationChainId: chains.alpha.chainId }),
        bodyOf(running, { originCurrency: user(1) }),
        bodyOf(running, { subsidizeFees: true }),
        bodyOf(running, { tradeType: "EXACT" }),
        bodyOf(running, { tradeType: "EXACT_OUTPUT" }),
        bodyOf(running, { tradeType: "EXPECTED_OUTPUT" }),
        bodyOf(running, { notAParameter: { a: 1 } }),
        `${whole.slice(0, -1)},"__proto__":{"recipient":"nobody"}}`,
        `${whole.slice(0, -1)},"amount":"20000000000000000"}`
      ]
      for (const path of ["/price", "/quote"] as const) {
        for (const body of bodies) yield* both(url, { path, body })
      }
      assert.strictEqual((yield* both(url, { body: bodyOf(running, { amount: "-1" }) })).status, 400)
      const bytes = Buffer.from(bodyOf(running, { referrer: "x" }))
      bytes[bytes.indexOf("\"x\"") + 1] = 0xff
      yield* both(url, { body: bytes })
      for (
        const type of [
          "text/plain",
          "application/json; charset=utf-8",
          "application/json;charset=UTF-8",
          "application/json; charset=latin1",
          "application/JSON",
          "application/problem+json",
          "application/json, text/plain"
        ]
      ) yield* both(url, { body: whole, headers: { "content-type": type } })
      for (const size of [4_096, 4_097, 60_000, 1_100_000]) yield* both(url, { body: whole.padEnd(size) })
      yield* both(url, { body: whole, headers: { "idempotency-key": "" } })
      yield* both(url, { body: whole, headers: { "idempotency-key": "one" } })
    }))

  it.effect("count against the caller's limit in either way, refused ones too", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const clients = [newClient(), newClient()] as const
      const statuses: Array<number> = []
      for (const body of [bodyOf(running), "{", bodyOf(running, { amount: "1" }), bodyOf(running), "{"]) {
        statuses.push((yield* both(running.url, { body, headers: clients })).status)
      }
      assert.deepStrictEqual(statuses, [200, 400, 400, 429, 429])
      assert.strictEqual((yield* both(running.url, { path: "/quote", body: "{", headers: clients })).status, 429)
    }))

  it.effect("are counted and logged, also for a client that leaves in the middle of its body", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { host, url } = running
      const before = yield* counted(url, "/price", "2xx")
      // A pair is asked once, even when the chains' fees change between the two.
      const named = { "x-request-id": "a-price-in-the-log" }
      const priced = yield* both(url, { body: bodyOf(running), headers: [named, named] })
      assert.strictEqual(priced.status, 200)
      assert.strictEqual(yield* counted(url, "/price", "2xx"), before + 2)
      const lines = Effect.sync(() => host.output().split("\n").filter((line) => line.includes("a-price-in-the-log")))
      yield* eventually(lines, (found) => found.length === 2 && found.every((line) => /0x[0-9a-f]{64}/u.test(line)))
      const left = yield* counted(url, "/price", "aborted")
      for (const target of ["/price", "//price"]) {
        yield* Effect.callback<void>((resume) => {
          const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) })
          socket.on("close", () => resume(Effect.void))
          socket.write(
            `POST ${target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"user":`,
            () => {
              setTimeout(() => socket.destroy(), 100)
            }
          )
        })
      }
      yield* eventually(counted(url, "/price", "aborted"), (count) => count === left + 2)
    }))

  it.effect("stop at once at a pause", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { chains, url } = running
      const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
      assert.strictEqual((yield* both(url, { path: "/quote", body: bodyOf(running) })).status, 200)
      const asked = { kind: "chain", chainId: chains.alpha.chainId, reason: "" }
      const paused = yield* post(`${url}/admin/pauses`, asked, admin)
      assert.strictEqual(paused.status, 200, paused.text)
      for (const path of paths) {
        const refused = yield* both(url, { path, body: bodyOf(running) })
        assert.strictEqual(refused.status, 400)
        assert.include(refused.text, "CHAIN_DISABLED")
      }
    }))
})
