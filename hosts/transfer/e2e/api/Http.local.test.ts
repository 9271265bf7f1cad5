import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import document from "../../../../docs/openapi.json" with { type: "json" }
import { quoteErrorCodes } from "../../../../src/domain/quote/QuoteError.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { nativeRequest, post } from "../../testing/Client.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const SECRET = "k3y-that-must-not-leak"

class Running extends fixtureOf<Running>()(
  "test/Http",
  Effect.map(
    startFixture(startNetwork, {
      // Endpoints of providers carry their key in the URL: this one must show up nowhere.
      settings: ({ chains }) => ({
        ALPHA_RPC_URL: `${chains.alpha.url}/?key=${SECRET}`,
        TESTNET_BASE_URL: "https://testnet.example"
      })
    }),
    (fixture) => {
      const { chains: { alpha, beta }, user } = fixture
      return {
        ...fixture,
        request: (changes: object = {}) => nativeRequest(user(0), alpha, beta, 10n ** 17n, changes)
      }
    }
  )
) {}

const ShapeA = Schema.Struct({
  message: Schema.NonEmptyString,
  errorCode: Schema.Literals(quoteErrorCodes),
  errorData: Schema.String,
  requestId: Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{64}$/)),
  statusCode: Schema.Literal(400),
  retryable: Schema.Literal(false),
  docs: Schema.String
})

const get = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(url)
    return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() }
  })

const refusals: ReadonlyArray<readonly [what: string, changes: object, code: string, field: string]> = [
  ["a negative amount", { amount: "-1" }, "INVALID_REQUEST", "amount"],
  ["a fractional amount", { amount: "1.5" }, "INVALID_REQUEST", "amount"],
  ["an amount of 10^80", { amount: `1${"0".repeat(80)}` }, "INVALID_REQUEST", "amount"],
  ["an amount beyond 2^256", { amount: (2n ** 256n).toString() }, "INVALID_REQUEST", "amount"],
  ["a number as amount", { amount: 5 }, "INVALID_REQUEST", "amount"],
  ["an amount of zero", { amount: "0" }, "INVALID_REQUEST", "amount"],
  ["an amount below the fees", { amount: "5" }, "AMOUNT_TOO_LOW", "amount"],
  ["more than the solver has", { amount: (10n ** 24n).toString() }, "INSUFFICIENT_LIQUIDITY", "amount"],
  ["a user that is no address", { user: "0x123" }, "INVALID_ADDRESS", "user"],
  ["a wrong checksum", { user: "0x8F6f614A09b24707aA27294bF08a239Ad45bD3Cc" }, "INVALID_ADDRESS", "user"],
  [
    "a Bitcoin recipient",
    { recipient: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4" },
    "INVALID_RECIPIENT",
    "recipient"
  ],
  [
    "the factory of deposit addresses as recipient",
    { recipient: "0x6e7884c2fc7cd474fccc398dd1cc3d12d69d6bef" },
    "INVALID_RECIPIENT",
    "recipient"
  ],
  [
    "a token as recipient",
    { recipient: "0x156be1ab50fd81b64705911d052a814d79f2b00e" },
    "INVALID_RECIPIENT",
    "recipient"
  ],
  ["an unknown chain", { originChainId: 1 }, "UNSUPPORTED_CHAIN", "originChainId"],
  ["a chain as text", { originChainId: "616101" }, "INVALID_REQUEST", "originChainId"],
  ["a chain that is no integer", { destinationChainId: 1.5 }, "INVALID_REQUEST", "destinationChainId"],
  ["an unknown currency", { originCurrency: `0x${"12".repeat(20)}` }, "UNSUPPORTED_CURRENCY", "originCurrency"],
  [
    "a currency of another family",
    { destinationCurrency: "11111111111111111111111111111111" },
    "INVALID_OUTPUT_CURRENCY",
    "destinationCurrency"
  ],
  ["a prototype's name as currency", { originCurrency: "__proto__" }, "INVALID_INPUT_CURRENCY", "originCurrency"],
  ["an unknown trade type", { tradeType: "constructor" }, "INVALID_REQUEST", "tradeType"],
  ["a refundTo that is no address", { refundTo: "nobody" }, "INVALID_ADDRESS", "refundTo"],
  ["a parameter of a later version", { usePermit: true }, "INVALID_REQUEST", "usePermit"],
  ["a send to oneself", { destinationChainId: 616101 }, "INVALID_RECIPIENT", "recipient"]
]

layer(Running.layer, { excludeTestServices: true })("the transfer service over HTTP", (it) => {
  for (const [what, changes, code, field] of refusals) {
    it.effect(`refuses ${what} and names the field`, () =>
      Effect.gen(function*() {
        const { request, url } = yield* Running
        const answer = yield* post(`${url}/quote`, request(changes))
        assert.strictEqual(answer.status, 400, answer.text)
        const body = Schema.decodeUnknownSync(ShapeA)(answer.json())
        assert.strictEqual(body.errorCode, code, body.message)
        assert.strictEqual(body.errorData, field, body.message)
        const page = yield* get(body.docs)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, code)
      }))
  }

  for (
    const required of [
      "user",
      "originChainId",
      "destinationChainId",
      "originCurrency",
      "destinationCurrency",
      "amount",
      "tradeType"
    ]
  ) {
    it.effect(`names a missing ${required}`, () =>
      Effect.gen(function*() {
        const { request, url } = yield* Running
        const answer = yield* post(`${url}/quote`, request({ [required]: undefined }))
        assert.strictEqual(answer.status, 400)
        assert.strictEqual(Schema.decodeUnknownSync(ShapeA)(answer.json()).errorData, required)
      }))
  }

  it.effect("names every field at fault in one answer: those that do not decode, and those that name nothing here", () =>
    Effect.gen(function*() {
      const { request, url } = yield* Running
      const { amount: _, ...withoutAmount } = request({ user: "nobody", refundTo: "0x12" })
      for (const path of ["/quote", "/quote/v2", "/price"]) {
        const answer = yield* post(`${url}${path}`, withoutAmount)
        assert.strictEqual(answer.status, 400)
        const { errorCode, errorData, message } = Schema.decodeUnknownSync(ShapeA)(answer.json())
        assert.deepStrictEqual([errorCode, errorData], ["INVALID_REQUEST", "amount"])
        for (const field of ["amount: is missing", "user: not an address of ", "refundTo: not an address of "]) {
          assert.include(message, field)
        }
      }
    }))

  it.effect("links help in every error, by a whole URL to a page that there is, with docs in the body and without (ERROR-4)", () =>
    Effect.gen(function*() {
      const { request, url } = yield* Running
      const ask = (path: string, body?: object) =>
        Effect.promise(() =>
          fetch(`${url}${path}`, {
            headers: { "content-type": "application/json" },
            ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
          })
        )
      const linkOf = ({ headers }: Response) => /^<(.+)>; rel="help"$/u.exec(headers.get("link") ?? "")?.[1]
      const quoted = yield* ask("/quote", request({ user: "0x12" }))
      assert.strictEqual(linkOf(quoted), `${url}/documentation/errors/INVALID_ADDRESS`)
      for (
        const [path, body, status] of [
          ["/intents/status?requestId=x", undefined, 400],
          ["/transactions/index", {}, 400],
          ["/transactions/deposit-address/reindex", {}, 400],
          ["/requests", undefined, 401],
          ["/chains/none", undefined, 404],
          ["/quote", undefined, 405]
        ] as const
      ) {
        const answer = yield* ask(path, body)
        assert.strictEqual(answer.status, status, path)
        assert.include(answer.headers.get("access-control-expose-headers") ?? "", "Link", path)
        const link = linkOf(answer) ?? assert.fail(`${path} links nothing`)
        assert.isTrue(link.startsWith(`${url}/documentation`), link)
        assert.strictEqual((yield* get(link)).status, 200, link)
      }
      assert.isNull((yield* ask("/chains")).headers.get("link"))
    }))

  it.effect("answers every kind of malformed request with a JSON body", () =>
    Effect.gen(function*() {
      const { request, url } = yield* Running
      const Message = Schema.Struct({ message: Schema.NonEmptyString })
      const cases = [
        [400, yield* post(`${url}/quote`, "{")],
        [400, yield* post(`${url}/quote`, "null")],
        [400, yield* post(`${url}/quote`, "[]")],
        [413, yield* post(`${url}/quote`, `"${"a".repeat(1_200_000)}"`)],
        [415, yield* post(`${url}/quote`, request(), { "content-type": "text/plain" })],
        [404, yield* post(`${url}/nothing`, {})]
      ] as const
      for (const [status, answer] of cases) {
        assert.strictEqual(answer.status, status, answer.text)
        Schema.decodeUnknownSync(Message)(answer.json())
      }
    }))

  it.effect("ignores unknown members, and parameters that request nothing", () =>
    Effect.gen(function*() {
      const { request, url } = yield* Running
      const answer = yield* post(
        `${url}/quote`,
        request({ protocolVersion: "v2", topupGas: false, explicitDeposit: true, txs: [] })
      )
      assert.strictEqual(answer.status, 200, answer.text)
    }))

  it.effect("serves the alias with its own check endpoint", () =>
    Effect.gen(function*() {
      const { request, url } = yield* Running
      const Steps = Schema.Struct({
        steps: Schema.Array(
          Schema.Struct({ items: Schema.Array(Schema.Struct({ check: Schema.Struct({ endpoint: Schema.String }) })) })
        )
      })
      const answer = yield* post(`${url}/quote/v2`, request())
      const endpoint = Schema.decodeUnknownSync(Steps)(answer.json()).steps[0]?.items[0]?.check.endpoint ?? ""
      assert.match(endpoint, /^\/intents\/status\/v3\?requestId=0x[0-9a-f]{64}$/)
      assert.include((yield* get(`${url}${endpoint}`)).text, "\"waiting\"")
    }))

  it.effect("answers unknown for an id that does not exist, and 400 for an invalid id", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const unknown = yield* get(`${url}/intents/status?requestId=0x${"0".repeat(64)}`)
      assert.strictEqual(unknown.status, 200)
      assert.include(unknown.text, "\"unknown\"")
      assert.strictEqual((yield* get(`${url}/intents/status?requestId=0x12`)).status, 400)
      assert.strictEqual((yield* get(`${url}/intents/status`)).status, 400)
    }))

  it.effect("serves health, metrics, chains and documentation", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      assert.deepStrictEqual(JSON.parse((yield* get(`${url}/lives`)).text), { status: "ok" })
      assert.deepStrictEqual(JSON.parse((yield* get(`${url}/ready`)).text), {
        status: "ready",
        problems: [],
        chains: ["alpha", "beta"].map((id) => ({
          id,
          serves: true,
          configuration: "confirmed",
          problems: [],
          warnings: [`chain ${id} has a single endpoint, whose operator decides what is filled and refunded`]
        }))
      })
      assert.include((yield* get(`${url}/metrics`)).text, "causeway_quotes_total")
      assert.include((yield* get(`${url}/chains`)).text, "\"slug\":\"alpha\"")
      assert.include((yield* get(`${url}/documentation`)).type, "text/html")
      const OpenApi = Schema.fromJsonString(
        Schema.Struct({ paths: Schema.Record(Schema.String, Schema.Json), servers: Schema.Json })
      )
      const { paths, servers } = Schema.decodeUnknownSync(OpenApi)((yield* get(`${url}/openapi.json`)).text)
      assert.deepStrictEqual(Object.keys(paths), Object.keys(document.paths))
      assert.deepStrictEqual(servers, [{ url, description: "local network" }, {
        url: "https://testnet.example",
        description: "testnet"
      }])
    }))

  // The last test, because it takes a chain away from all others.
  it.effect("answers 503 without naming endpoints when a chain is unavailable", () =>
    Effect.gen(function*() {
      const { chains, host, request, url } = yield* Running
      yield* chains.alpha.stop
      // An amount that nobody has asked for: facts of others may be used again for a second.
      const answer = yield* post(`${url}/quote`, { ...request(), amount: `${10n ** 17n + 503n}` })
      assert.strictEqual(answer.status, 503, answer.text)
      // Gas and price of that chain are read at the same time. The first one that fails is named.
      assert.match(answer.text, /"errorCode":"(?:SERVICE_UNAVAILABLE|PRICE_FETCH_FAILED)"/)
      const ready = yield* get(`${url}/ready`)
      // The other chain is still served.
      assert.strictEqual(ready.status, 200)
      assert.include(ready.text, "chain alpha does not answer")
      const metrics = yield* get(`${url}/metrics`)
      for (const text of [answer.text, ready.text, metrics.text, host.output()]) {
        assert.notInclude(text, SECRET)
        assert.notInclude(text, chains.solverKey.slice(2))
      }
    }))
})

describe("the environment of the transfer service", () => {
  it.live("is checked at start, with one message that lists everything wrong and no value", () =>
    Effect.scoped(Effect.gen(function*() {
      const host = yield* spawnHost("transfer", {
        ENVIRONMENT: "local",
        SOLVER_PRIVATE_KEY: "0xsecret",
        TRANSFER_PORT: "99999",
        ADMIN_TOKEN: "short-secret"
      })
      assert.strictEqual(yield* host.ended, 1)
      for (const name of ["SOLVER_PRIVATE_KEY", "TRANSFER_PORT", "ADMIN_TOKEN", "ALPHA_RPC_URL", "BETA_RPC_URL"]) {
        assert.include(host.output(), name)
      }
      assert.notInclude(host.output(), "secret")
      assert.notInclude(host.output(), "99999")
    })))

  it.live("names the process that owns the store", () =>
    Effect.scoped(Effect.gen(function*() {
      const { startHost, environment } = yield* startNetwork
      const first = yield* startHost()
      const second = yield* spawnHost("worker", environment)
      assert.strictEqual(yield* second.ended, 1)
      assert.include(second.output(), `${first.pid}`)
    })))

  it.live("names the address when another process listens there", () =>
    Effect.scoped(Effect.gen(function*() {
      const { startHost, environment } = yield* startNetwork
      yield* startHost()
      const second = yield* spawnHost("transfer", {
        ...environment,
        DATABASE_URL: `${environment["DATABASE_URL"]}.second`
      })
      assert.strictEqual(yield* second.ended, 1)
      assert.include(
        second.output(),
        `cannot listen on 127.0.0.1:${environment["TRANSFER_PORT"]}: another process already listens there`
      )
    })))
})
