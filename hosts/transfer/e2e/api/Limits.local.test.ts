/** Rate limits: with a key and without, in one process and in several that share a Redis, which may fail. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres, requireRedis } from "../../../../scripts/testing/Capability.ts"
import { connect } from "node:net"
import document from "../../../../docs/openapi.json" with { type: "json" }
import { askRaw, sameAs, unlike } from "../../../http/testing/Spellings.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import * as Limits from "../../middleware/Limits.ts"
import { post } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { alarms } from "../../testing/Misbehaving.ts"
import * as RedisServer from "../../testing/RedisServer.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }
const redis = requireRedis()
const postgres = requirePostgres()

const makeRunning = startNetwork
class Running extends fixtureOf<Running>()("test/Limits", makeRunning) {}

const newKey = Effect.fnUntraced(function*(url: string) {
  const made = yield* post(`${url}/api-keys`, { label: "an app" }, admin)
  assert.strictEqual(made.status, 200, made.text)
  return made.json() as { readonly id: string; readonly key: string }
})

const under = (url: string, path: string, key?: string) =>
  get(`${url}${path}`, key === undefined ? {} : { headers: { "x-api-key": key } })

layer(Running.layer, { excludeTestServices: true })("limits over HTTP", (it) => {
  it.effect("are a key's own, each with its headers; an unknown key has those of its address", () =>
    Effect.gen(function*() {
      const { startInstance } = yield* Running
      const limits = {
        RATE_LIMIT_QUOTE: "2",
        RATE_LIMIT_OTHER: "3",
        RATE_LIMIT_KEY_QUOTE: "4",
        RATE_LIMIT_KEY_OTHER: "5"
      }
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN, ...limits })
      const [{ id, key }, other] = [yield* newKey(url), yield* newKey(url)]
      // An unknown key uses the address's bucket: one request is left, then 429. It never gets its own bucket.
      assert.strictEqual((yield* under(url, "/intents/status?requestId=0x12", "cwk_unknown1")).status, 400)
      assert.strictEqual((yield* under(url, "/intents/status?requestId=0x12", "cwk_unknown2")).status, 429)
      assert.strictEqual((yield* under(url, "/chains")).status, 429)
      // A browser gets a page, also for refusals. A program gets JSON.
      const page = `${url}/requests/0x${"ab".repeat(32)}`
      const seen = yield* get(page, { headers: { accept: "text/html,*/*;q=0.8" } })
      assert.deepStrictEqual([seen.status, seen.headers.get("content-type")], [429, "text/html; charset=utf-8"])
      assert.deepStrictEqual([Number(seen.headers.get("retry-after")) >= 1, seen.text.includes("Too often")], [
        true,
        true
      ])
      assert.match((yield* get(page)).headers.get("content-type") ?? "", /^application\/json/u)
      assert.strictEqual((yield* post(`${url}/quote`, {}, { "x-api-key": "cwk_unknown3" })).status, 400)
      assert.strictEqual((yield* post(`${url}/quote`, {}, {})).status, 400)
      assert.strictEqual((yield* post(`${url}/quote`, {}, { "x-api-key": "cwk_unknown4" })).status, 429)

      const first = yield* under(url, "/chains", key)
      assert.deepStrictEqual([first.status, first.headers.get("ratelimit-policy"), first.headers.get("ratelimit")], [
        200,
        "\"other\";q=5;w=60",
        "\"other\";r=4;t=12"
      ])
      for (let left = 3; left >= 0; left--) {
        assert.match((yield* under(url, "/chains", key)).headers.get("ratelimit") ?? "", new RegExp(`r=${left};`))
      }
      const refused = yield* under(url, "/chains", key)
      assert.strictEqual(refused.status, 429)
      assert.include(refused.text, "more than 5 requests a minute")
      assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
      assert.strictEqual((yield* under(url, "/chains", other.key)).status, 200, "another key has a bucket of its own")

      // Quotes and listings have a bucket each, by the second. Of nine at once four pass, plus what a second refills.
      for (const [path, name] of [["/quote", "quote"], ["/requests", "requests"]] as const) {
        const ask = get(`${url}${path}`, {
          headers: { "x-api-key": key, "content-type": "application/json" },
          ...(path === "/quote" ? { method: "POST", body: "{}" } : {})
        })
        const answers = yield* Effect.all(Array.from({ length: 9 }, () => ask), { concurrency: "unbounded" })
        const statuses = answers.map(({ status }) => status)
        assert.isAtLeast(statuses.filter((status) => status !== 429).length, 4, name)
        assert.isAtLeast(statuses.filter((status) => status === 429).length, 1, name)
        assert.strictEqual(answers[0]?.headers.get("ratelimit-policy"), `"${name}";q=4;w=1`)
      }

      // Without limits, whatever headers it has.
      assert.strictEqual((yield* under(url, "/lives", key)).headers.get("ratelimit"), null)
      assert.match(id, /^key_/)
      yield* stop
    }))

  it.effect("are one limit, one idempotency and one metric label for every spelling of a path; an invalid spelling matches no route", () =>
    Effect.gen(function*() {
      const { startInstance } = yield* Running
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN, RATE_LIMIT_QUOTE: "20", RATE_LIMIT_OTHER: "100000" })
      const ask = (method: string, target: string, headers: Readonly<Record<string, string>> = {}) =>
        askRaw({ url, method, target, headers })
      const policy = ({ headers }: { readonly headers: NodeJS.Dict<string | Array<string>> }) =>
        headers["ratelimit-policy"]
      // A bucket of twenty, of which one is refilled every three seconds.
      const [took, quotes] = yield* Effect.timed(
        Effect.forEach(
          [...sameAs("/quote"), ...sameAs("/quote/v2"), ...sameAs("/price")],
          (target) => ask("POST", target),
          {
            concurrency: 8
          }
        )
      )
      assert.isAtMost(
        quotes.filter(({ status }) => status !== 429).length,
        21 + Math.ceil(Duration.toMillis(took) / 3_000)
      )
      assert.deepStrictEqual([...new Set(quotes.map(policy))], ["\"quote\";q=20;w=60"])

      const paths = Object.keys(document.paths).map((path) => path.replaceAll(/\{(\w+)\}/gu, ":$1")).filter((path) =>
        !path.startsWith("/quote") && path !== "/price"
      )
      assert.isAbove(paths.length, 30)
      for (const pattern of paths) {
        // A method that none of them has shows the route without executing anything.
        const [first, ...others] = yield* Effect.forEach(sameAs(pattern), (target) => ask("PATCH", target), {
          concurrency: 8
        })
        if (first === undefined) return assert.fail("no spelling")
        assert.strictEqual(first.status, 405, pattern)
        for (const answer of others) {
          assert.deepStrictEqual([answer.status, policy(answer), answer.headers["allow"], answer.text], [
            405,
            policy(first),
            first.headers["allow"],
            first.text
          ], pattern)
        }
        if (pattern.endsWith("x") || pattern.split("/").at(-1)?.startsWith(":")) continue
        const strange = yield* Effect.forEach(
          unlike(pattern),
          (target) => ask("GET", target, { accept: "application/json" }),
          { concurrency: 8 }
        )
        // Another segment, or one more, may be a parameter of another route, but never this route.
        for (const answer of strange) {
          assert.include(/^\/requests\/[^:/]+$/.test(pattern) ? [400, 404, 405] : [404, 405], answer.status, pattern)
        }
      }
      // Routes without limits, and the page with other letter cases.
      assert.deepStrictEqual(
        (yield* Effect.forEach(["/LIVES/", "//lives", "/%6cives?x"], (target) => ask("GET", target))).map((
          answer
        ) => [answer.status, policy(answer)]),
        [[200, undefined], [200, undefined], [200, undefined]]
      )

      const body = {
        "x-api-key": (yield* newKey(url)).key,
        "idempotency-key": "spelled",
        "content-type": "application/json"
      }
      const challenge = (path: string) => post(`${url}${path}`, { wallet: `0x${"a1".repeat(20)}` }, body)
      const made = yield* challenge("/api-keys/wallets/challenge")
      for (const path of ["/API-keys//wallets/challenge/", "/%61pi-keys/wallets/challenge?"]) {
        assert.strictEqual((yield* challenge(path)).text, made.text)
      }

      const labels = new Set(
        [...(yield* get(`${url}/metrics`)).text.matchAll(/causeway_http_requests_total\{[^}]*route="([^"]*)"/gu)].map((
          [, route]
        ) => route ?? "")
      )
      assert.deepStrictEqual([...labels].filter((label) => !paths.includes(label)).toSorted(), [
        "/price",
        "/quote",
        "/quote/v2",
        "unknown"
      ])
      yield* stop
    }))

  it.effect("on transaction checks are each caller's own: one caller cannot use up another's", () =>
    Effect.gen(function*() {
      const { chains, startInstance } = yield* Running
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN })
      const { key } = yield* newKey(url)
      const look = (headers: Readonly<Record<string, string>>) =>
        post(`${url}/transactions/index`, { txHash: `0x${"12".repeat(32)}`, chainId: chains.alpha.chainId }, headers)
      const stranger = yield* Effect.forEach(Array.from({ length: 90 }), () => look({ "x-api-key": "cwk_unknown" }), {
        concurrency: 8
      })
      assert.isAtLeast(stranger.filter(({ status }) => status === 429).length, 40)
      assert.strictEqual((yield* look({})).status, 429, "the same address")
      assert.strictEqual((yield* look({ "x-api-key": key })).status, 200, "another caller, the same chain")
      yield* stop
    }))

  it.effect("on silent connections close those, and no stream or request", () =>
    Effect.gen(function*() {
      const { startInstance } = yield* Running
      const { stop, url } = yield* startInstance()
      const port = Number(new URL(url).port)
      let closed = 0
      const sockets = Array.from({ length: 200 }, () =>
        connect(port, "127.0.0.1").on("error", () =>
          undefined).on("close", () => {
            closed += 1
          }))
      yield* Effect.repeat(Effect.sleep("20 millis"), {
        until: () =>
          closed >= 72
      })
      assert.strictEqual((yield* get(`${url}/lives`)).status, 200)
      for (const socket of sockets) socket.destroy()
      yield* stop
    }))

  it.effect("never repeat an answer to a key that is unknown or revoked", () =>
    Effect.gen(function*() {
      const { startInstance } = yield* Running
      const { stop, url } = yield* startInstance({ ADMIN_TOKEN })
      const { id, key } = yield* newKey(url)
      const ask = (headers: Readonly<Record<string, string>>) =>
        post(`${url}/api-keys/wallets/challenge`, { wallet: `0x${"a1".repeat(20)}`, action: "unlink" }, {
          "idempotency-key": "one",
          ...headers
        })
      const stored = yield* ask({ "x-api-key": key })
      assert.strictEqual((yield* ask({ "x-api-key": key })).text, stored.text)
      const anonymous = yield* ask({})
      assert.notStrictEqual(anonymous.text, stored.text)
      assert.strictEqual((yield* ask({})).text, anonymous.text)
      yield* get(`${url}/api-keys/${id}`, { method: "DELETE", headers: admin })
      const afterwards = [
        yield* ask({ "x-api-key": key }),
        yield* ask({ "x-api-key": key }),
        yield* ask({ "x-api-key": "cwk_unknown" })
      ]
      const texts = [stored, anonymous, ...afterwards].map(({ text }) => text)
      assert.strictEqual(new Set(texts).size, 5)
      yield* stop
    }))

  it.effect.skipIf(redis === undefined || postgres === undefined)(
    "are shared by two processes over Redis, and a key is revoked in both at once",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { startInstance } = yield* Running
        const server = yield* RedisServer.start(redis ?? "")
        const database = Redacted.value(
          yield* (yield* PostgresServer.start(postgres ?? { initdb: "", pgCtl: "" })).createDatabase
        )
        const environment = { ADMIN_TOKEN, DATABASE_URL: database, REDIS_URL: server.url, RATE_LIMIT_KEY_OTHER: "20" }
        const one = yield* startInstance(environment)
        const two = yield* startInstance({ ...environment, TRANSFER_PORT: `${yield* anyFree}` })
        const absences = Effect.map(
          Effect.all([one, two].map(({ url }) => alarms(url, "redis"))),
          (counts) => counts.join()
        )
        const tried = Effect.gen(function*() {
          const { key } = yield* newKey(one.url)
          const before = yield* absences
          const [took, statuses] = yield* Effect.timed(Effect.all(
            Array.from({ length: 40 }, (_, index) =>
              Effect.map(under((index % 2 === 0 ? one : two).url, "/currencies", key), ({ status }) =>
                status)),
            { concurrency: 10 }
          ))
          const passed = statuses.filter((status) =>
            status === 200
          ).length
          return { key, passed, took, isJudged: before === (yield* absences) }
        })
        // On a busy machine an answer of Redis may come too late to count, and each process is alone for a second.
        const { key, passed, took } = yield* tried.pipe(
          Effect.tap(({ isJudged }) => isJudged ? Effect.void : Effect.sleep("1100 millis")),
          Effect.repeat({ until: ({ isJudged }) => isJudged })
        )
        assert.isAtLeast(passed, 20)
        // One is refilled every three seconds.
        assert.isAtMost(passed, 21 + Math.ceil(Duration.toMillis(took) / 3_000))

        const other = yield* newKey(two.url)
        const use = (url: string) =>
          Effect.map(
            post(`${url}/api-keys/wallets/challenge`, { wallet: `0x${"a1".repeat(20)}` }, { "x-api-key": other.key }),
            ({ status }) => status
          )
        assert.deepStrictEqual([yield* use(one.url), yield* use(two.url)], [200, 200])
        yield* get(`${one.url}/api-keys/${other.id}`, { method: "DELETE", headers: admin })
        assert.deepStrictEqual([yield* use(two.url), yield* use(one.url)], [401, 401])

        const alarmed = yield* alarms(one.url, "redis")
        yield* server.stop
        const alone = yield* under(one.url, "/currencies", key)
        assert.strictEqual(alone.status, 200, "fails open, to this process's own bucket")
        assert.strictEqual(yield* alarms(one.url, "redis"), alarmed + 1)
        for (const { output } of [one, two]) {
          for (const secret of [server.password, key]) assert.notInclude(output(), secret)
        }
        yield* Effect.all([one.stop, two.stop], { concurrency: 2 })
      }))
  )
})

describe.skipIf(redis === undefined)("limits over Redis", () => {
  const bucket: Limits.Bucket = { key: "other:198.51.100.7", limit: 5, window: "1 hour" }
  const allowed = (limits: Limits.Limits["Service"], times: number, of: Limits.Bucket = bucket) =>
    Effect.map(
      Effect.all(Array.from({ length: times }, () => limits.take(of)), { concurrency: "unbounded" }),
      (verdicts) => verdicts.filter((verdict) => verdict.allowed).length
    )
  const process = (url: string) =>
    Effect.map(Layer.build(Limits.layer(Redacted.make(url))), (context) => Context.get(context, Limits.Limits))

  /**
   * Repeats until three requests through one limiter leave two for the other, and nothing more for either. Each time
   * with a fresh bucket: on a busy machine an answer of Redis may come too late to count. Returns the empty bucket.
   */
  const untilShared = (one: Limits.Limits["Service"], two: Limits.Limits["Service"]) => {
    let tries = 0
    const look = Effect.gen(function*() {
      tries += 1
      const empty = { ...bucket, key: `shared:${tries}` }
      const counts = [yield* allowed(one, 3, empty), yield* allowed(two, 9, empty), yield* allowed(one, 9, empty)]
      const refused = yield* two.take(empty)
      return counts.join() === "3,2,0" && !refused.allowed ? { empty, refused } : undefined
    })
    return Effect.repeat(Effect.delay(look, "100 millis"), { until: (found) => found !== undefined }).pipe(
      Effect.timeoutOrElse({ duration: "180 seconds", orElse: () => Effect.die(new Error("they share no bucket")) })
    )
  }

  it.live("are one bucket for all processes, one each while Redis is absent or slow, and one again when it is back", () =>
    Effect.scoped(Effect.gen(function*() {
      const server = yield* RedisServer.start(redis ?? "")
      const [one, two] = [yield* process(server.url), yield* process(server.url)]
      const { empty, refused } = yield* untilShared(one, two)
      assert.deepStrictEqual([refused.limit, refused.remaining], [5, 0])
      assert.approximately(refused.seconds, 720, 5)

      yield* server.pause
      assert.deepStrictEqual(yield* Effect.all([allowed(one, 9, empty), allowed(two, 9, empty)]), [5, 5])
      yield* server.resume
      yield* Effect.sleep("1100 millis")
      assert.deepStrictEqual([yield* allowed(one, 9, empty), yield* allowed(two, 9, empty)], [0, 0])

      yield* server.stop
      assert.deepStrictEqual(
        [yield* allowed(one, 9, empty), yield* allowed(two, 9, empty)],
        [0, 0],
        "their own buckets are empty by now"
      )
      yield* server.restart
      yield* untilShared(one, two)
    })))

  it.live("do not need Redis at start", () =>
    Effect.scoped(Effect.gen(function*() {
      const limits = yield* process(`redis://127.0.0.1:${yield* anyFree}`)
      assert.strictEqual(yield* allowed(limits, 9), 5)
    })))
})
