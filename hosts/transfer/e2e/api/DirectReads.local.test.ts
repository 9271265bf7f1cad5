/**
 * Reads that are answered ahead of the router, against the router itself: a doubled slash is another spelling of the
 * same path, which only the router knows. Status, bytes and headers are the same, whatever is asked.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { limitsIn } from "../../../http/testing/LimitHeaders.ts"
import { askRaw } from "../../../http/testing/Spellings.ts"
import { post } from "../../testing/Client.ts"
import { quoteNative, startFixture } from "../../testing/Fixture.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const LIMIT = 3

/** Two for each keyed read, so that each way has a whole bucket. */
const keys = Array.from({ length: 8 }, (_, n) => `cwk_app${n}`)

class Running extends fixtureOf<Running>()(
  "test/DirectReads",
  startFixture(startNetwork, {
    keys,
    settings: { ADMIN_TOKEN, TRUSTED_PROXIES: "127.0.0.1", RATE_LIMIT_OTHER: `${LIMIT}`, RATE_LIMIT_KEY_OTHER: "9" }
  })
) {}

type Answer = Effect.Success<ReturnType<typeof askRaw>>

/** What may differ between two answers: their time, the id that each got, and how long a limit still lasts. */
const comparable = ({ headers, status, text }: Answer) => {
  const { date: _date, ratelimit: _limit, "retry-after": _after, "x-request-id": id, ...others } = headers
  return {
    status,
    text,
    headers: others,
    hasId: id !== undefined && id.length > 0,
    limits: limitsIn(headers)
  }
}

let lastAddress = 0

/** A client that has asked nothing yet, as a trusted proxy reports it. */
const newClient = () => ({ "x-forwarded-for": `10.1.${(lastAddress += 1) >> 8}.${lastAddress & 255}` })

const both = Effect.fnUntraced(
  function*(
    url: string,
    target: string,
    headersOf: (way: 0 | 1) => Readonly<Record<string, string>> = () => ({}),
    method: "GET" | "HEAD" = "GET"
  ) {
    const ask = (way: 0 | 1) =>
      askRaw({
        url,
        method,
        target: way === 0 ? target : `/${target}`,
        headers: { ...newClient(), ...headersOf(way) }
      })
    const [direct, routed] = [yield* ask(0), yield* ask(1)]
    assert.deepStrictEqual(comparable(direct), comparable(routed), target)
    return direct
  }
)

layer(Running.layer, { excludeTestServices: true })("reads ahead of the router", (it) => {
  it.effect("are the router's, to the byte", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { url } = running
      const quoted = yield* quoteNative(running, 0, 10n ** 16n)
      const endpoint = quoted.steps[0]?.items[0]?.check?.endpoint ?? assert.fail("no endpoint")
      const [, id = ""] = endpoint.split("requestId=")
      const reads = [
        "/chains",
        endpoint,
        `/intents/status/v3?requestId=${id}`,
        `/intents/status?requestId=0x${"ab".repeat(32)}`
      ]
      for (const read of reads) {
        const answer = yield* both(url, read)
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
        assert.strictEqual(answer.headers["ratelimit"], `"other";r=${LIMIT - 1};t=20`)
        yield* both(url, read, () => ({ "accept-encoding": "gzip" }))
        yield* both(url, read, () => ({ origin: "https://elsewhere.example" }))
        yield* both(url, read, () => ({ "x-api-key": "cwk_unknown" }))
        yield* both(url, read, () => ({ "x-api-key": "" }))
        yield* both(url, read, (way) => ({ "x-api-key": keys[2 * reads.indexOf(read) + way] ?? "" }))
        yield* both(url, read, () => ({ "content-length": "0" }))
        yield* both(url, read, () => ({}), "HEAD")
        const named = yield* both(url, read, () => ({ "x-request-id": "my-own.id" }))
        assert.strictEqual(named.headers["x-request-id"], "my-own.id")
      }
      for (
        const other of [
          "/chains?",
          "/chains?chainId=1",
          `${endpoint}&more=1`,
          `${endpoint}&requestId=${id}`,
          "/intents/status",
          "/intents/status?requestId=0x12",
          `/intents/status?requestId=${id.toUpperCase()}`,
          `/intents/status/v2?requestId=${id}`
        ]
      ) yield* both(url, other)
    }))

  it.effect("streams begin and end as the router's", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      // A request that does not exist: its stream ends.
      const stream = `/intents/status/stream?requestId=0x${"ab".repeat(32)}`
      const answer = yield* both(url, stream)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["content-type"], "text/event-stream")
      assert.include(answer.text, `"status":"unknown"`)
      for (const lastEventId of ["0", "7", "none", "1".repeat(20), "1".repeat(21)]) {
        yield* both(url, stream, () => ({ "last-event-id": lastEventId }))
      }
      yield* both(url, stream, () => ({ "x-api-key": "cwk_unknown" }))
      yield* both(url, stream, () => ({ "content-length": "0" }))
      yield* both(url, stream, () => ({}), "HEAD")
      for (const other of [`${stream}&more=1`, "/intents/status/stream", "/intents/status/stream?requestId=0x12"]) {
        yield* both(url, other)
      }
      const clients = [newClient(), newClient()] as const
      const statuses: Array<number> = []
      for (let n = 0; n < LIMIT + 1; n += 1) {
        statuses.push((yield* both(url, stream, (way) => clients[way])).status)
      }
      assert.deepStrictEqual(statuses, [200, 200, 200, 429])
    }))

  it.effect("count against the caller's limit, in either way", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const clients = [newClient(), newClient()] as const
      const statuses: Array<number> = []
      for (let n = 0; n < LIMIT + 1; n += 1) {
        statuses.push((yield* both(url, "/chains", (way) => clients[way])).status)
      }
      assert.deepStrictEqual(statuses, [200, 200, 200, 429])
      const status = `/intents/status?requestId=0x${"ab".repeat(32)}`
      assert.strictEqual((yield* both(url, status, (way) => clients[way])).status, 429)
    }))

  it.effect("say that nothing has changed to who names the ETag, and show a pause at once", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const etagOf = (answer: Answer) => `${answer.headers["etag"] as string | undefined}`
      const open = yield* both(url, "/chains")
      const known = { "if-none-match": etagOf(open) }
      const unchanged = yield* both(url, "/chains", () => known)
      assert.deepStrictEqual([unchanged.status, unchanged.text], [304, ""])
      const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const paused = yield* post(
        `${url}/admin/pauses`,
        { kind: "chain", chainId: chains.alpha.chainId, reason: "" },
        admin
      )
      assert.strictEqual(paused.status, 200, paused.text)
      const closed = yield* both(url, "/chains", () => known)
      assert.strictEqual(closed.status, 200)
      assert.notStrictEqual(etagOf(closed), etagOf(open))
      assert.include(closed.text, `"depositEnabled":false`)
    }))
})
