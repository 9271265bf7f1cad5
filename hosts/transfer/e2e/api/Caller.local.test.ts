/**
 * The caller of a request, on a running host: its key is looked up once, however many parts need it, and whatever the
 * store answers.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { hideTable } from "../../testing/BesideStore.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { startCollector } from "../../../observability/testing/Collector.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { eventually } from "../../testing/Receiver.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()(
  "test/Caller",
  Effect.gen(function*() {
    const collector = yield* startCollector
    const { chains, store, url, user } = yield* startFixture(startNetwork, {
      keys: ["alice"],
      settings: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "1" }
    })
    return {
      collector,
      store,
      url,
      user: user(0),
      request: nativeRequest(user(0), chains.alpha, chains.beta, 10n ** 17n)
    }
  })
) {}

const known = "alice"

type Asked = readonly [method: string, path: string, body?: object]

const nameOf = ([method, path]: Asked) => `${method} ${path}`

/** Requests that need or take a key. */
const keyed = ({ request, user }: Running["Service"]): ReadonlyArray<Asked> => [
  ["POST", "/quote", request],
  ["GET", "/requests"],
  ["GET", "/requests/summary"],
  ["GET", "/webhooks"],
  ["POST", "/webhooks", { url: "https://app.example/" }],
  ["POST", "/api-keys/wallets/challenge", { wallet: user, action: "link" }],
  ["GET", `/app-fees/${user}/statement`]
]

/** Requests that ignore a key. */
const keyless = ({ user }: Running["Service"]): ReadonlyArray<Asked> => [
  ["GET", "/chains"],
  ["GET", `/requests?id=0x${"0".repeat(64)}`],
  ["GET", `/app-fees/${user}/balances`]
]

layer(Running.layer, { excludeTestServices: true })("the caller of a request", (it) => {
  const ask = Effect.fnUntraced(function*([method, path, body]: Asked, headers: Readonly<Record<string, string>>) {
    const { url } = yield* Running
    return yield* get(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  })

  it.effect("has its key looked up once, and no look-up without one", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const asks = [...keyed(running), ...keyless(running)].flatMap((asked) => [
        { asked, key: known, lookUps: 1 },
        { asked, key: "nobody's", lookUps: 1 },
        { asked, key: "", lookUps: 0 },
        { asked, key: undefined, lookUps: 0 }
      ])
      const traceOf = (index: number) => (index + 1).toString(16).padStart(32, "0")
      for (const [index, { asked, key }] of asks.entries()) {
        yield* ask(asked, {
          traceparent: `00-${traceOf(index)}-${"b".repeat(16)}-01`,
          ...(key === undefined ? {} : { "x-api-key": key })
        })
      }
      for (const [index, { asked, key, lookUps }] of asks.entries()) {
        const spans = () => running.collector.spans().filter(({ traceId }) => traceId === traceOf(index))
        yield* eventually("the request's span", () => spans().some(({ kind }) => kind === 2))
        assert.lengthOf(spans().filter(({ name }) => name === "ApiKeys.find"), lookUps, `${nameOf(asked)} under ${key}`)
      }
    }))

  it.effect("must retry where its key matters and the store does not answer, and is served where it does not matter", () =>
    Effect.gen(function*() {
      const running = yield* Running
      yield* hideTable(running.store, "api_keys")
      for (const asked of keyed(running)) {
        const answer = yield* ask(asked, { "x-api-key": known })
        assert.strictEqual(answer.status, 503, `${nameOf(asked)}: ${answer.text}`)
        assert.include(answer.text, "ApiKeys.find")
      }
      for (const asked of keyless(running)) {
        const answer = yield* ask(asked, { "x-api-key": known })
        assert.strictEqual(answer.status, 200, `${nameOf(asked)}: ${answer.text}`)
      }
      // It is not known whose answer it would repeat: so neither another caller's answer, nor stored for one.
      const challenge: Asked = ["POST", "/api-keys/wallets/challenge", { wallet: running.user, action: "unlink" }]
      assert.strictEqual((yield* ask(challenge, { "x-api-key": known })).status, 200)
      assert.strictEqual((yield* ask(challenge, { "idempotency-key": "one" })).status, 200)
      const refused = yield* ask(challenge, { "x-api-key": known, "idempotency-key": "one" })
      assert.strictEqual(refused.status, 503, refused.text)
      assert.include(refused.text, "SERVICE_UNAVAILABLE")
    }).pipe(Effect.scoped))
})
