/** Reindexing deposit addresses (REINDEX-1): every answer, and what happens to unexpected money. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { numberBeside } from "../../testing/BesideStore.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { configuredFolder } from "../../testing/ConfiguredFolder.ts"
import { addressFor, payTo, reindex, requestsOf } from "../../testing/Addressed.ts"
import { nativeRequest } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import type { Answer } from "../../testing/Get.ts"
import { startTransferInstance } from "../../testing/HostInstance.ts"
import { addKeys } from "../../testing/Keys.ts"
import { eventually, startMisbehaving } from "../../testing/Misbehaving.ts"
import { ETH, held, USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running
  extends fixtureOf<Running>()("test/Reindex", startFixture(startMisbehaving, { keys: ["alice", "bob"] }))
{}

/** Exactly {message}. */
const decodeRefusal = Schema.decodeUnknownSync(Schema.Struct({ message: Schema.String }), { onExcessProperty: "error" })

const assertMessageOnly = ({ json }: Answer) => assert.isNotEmpty(decodeRefusal(json()).message)

/** The number of stored reindex notes of an address. */
const notesOf = (store: string, address: Hex) =>
  numberBeside(store, "SELECT COUNT(*) AS n FROM deposit_address_reindexes WHERE address = ?", address)

layer(Running.layer, { excludeTestServices: true })("a reindex", (it) => {
  const made = Effect.fnUntraced(function*(changes: object = {}, headers: Readonly<Record<string, string>> = {}) {
    const { chains, url } = yield* Running
    const user = privateKeyToAccount(chains.users[0] ?? "0x").address
    return yield* addressFor(url, nativeRequest(user, chains.alpha, chains.beta, ETH.some, changes), headers)
  })

  const ask = Effect.fnUntraced(function*(body: object, headers: Readonly<Record<string, string>> = {}) {
    const { chains, url } = yield* Running
    return yield* reindex(url, { chainId: chains.alpha.chainId, ...body }, headers)
  })

  /** A stranger's mistake. */
  const send = Effect.fnUntraced(function*(to: Hex) {
    const { chains } = yield* Running
    yield* payTo(chains.alpha, chains.users[2] ?? "0x", to, USDC, USDC.some)
  })

  it.effect("finds an unexpected token, says so, and it is sent to the address that the record names", () =>
    Effect.gen(function*() {
      const { chains, fresh, url } = yield* Running
      const refundTo = fresh()
      const { depositAddress, requestId } = yield* made({ refundTo })
      yield* send(depositAddress)
      const answer = yield* ask({ depositAddress })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.json(), {
        message: "1 withdrawal queued",
        triggeredCurrencies: [{ currency: USDC.address.toLowerCase(), symbol: "USDC", balance: `${USDC.some}` }],
        checkedCurrencies: 5,
        failedCurrencies: 0
      })
      const record = yield* get(`${url}/deposit-addresses?chainId=${chains.alpha.chainId}&address=${depositAddress}`)
      assert.deepInclude(record.json(), {
        depositAddress,
        type: "open",
        requestId,
        refundTo,
        chainId: chains.alpha.chainId
      })
      const back = yield* eventually("it is there", held(chains.alpha, USDC, refundTo), (units) => units > 0n)
      assert.isTrue(back < USDC.some && back > USDC.some - 1_500_000n)
      const [request] = yield* eventually(
        "the leg is shown",
        requestsOf(url, depositAddress),
        ([one]) => one?.data.refunds[0]?.state === "paid"
      )
      assert.strictEqual(request?.status, "waiting", "the order still waits for what it was made for")
      assert.deepInclude(request?.data.refunds[0], { recipient: refundTo, refunded: `${back}`, amount: `${USDC.some}` })
    }))

  it.effect("runs once a minute, queues nothing twice, and sends to recoveryAddress when there is no refundTo", () =>
    Effect.gen(function*() {
      const { chains, fresh, url } = yield* Running
      const recoveryAddress = fresh()
      const { depositAddress } = yield* made({ recoveryAddress })
      yield* send(depositAddress)
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => ask({ depositAddress, currency: USDC.address })),
        { concurrency: 8 }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).toSorted((a, b) => a - b), [
        200,
        429,
        429,
        429,
        429,
        429,
        429,
        429
      ])
      for (const refused of answers.filter(({ status }) => status === 429)) {
        assertMessageOnly(refused)
        assert.isAbove(Number(refused.headers.get("retry-after")), 0)
      }
      const back = yield* eventually("it is there", held(chains.alpha, USDC, recoveryAddress), (units) => units > 0n)
      assert.isTrue(back <= USDC.some)
      const [request] = yield* eventually(
        "the leg is shown",
        requestsOf(url, depositAddress),
        ([one]) => one?.data.refunds[0]?.state === "paid"
      )
      assert.strictEqual(request?.data.refunds.length, 1)
    }))

  it.effect("leaves money without a named owner in the depository, and the history says so", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { depositAddress } = yield* made()
      yield* send(depositAddress)
      assert.strictEqual((yield* ask({ depositAddress })).status, 200)
      const [request] = yield* eventually(
        "it is recorded",
        requestsOf(url, depositAddress),
        ([one]) => one?.data.refunds.length === 1
      )
      assert.deepInclude(request?.data.refunds[0], { state: "recorded", recipient: null, refunded: null })
      assert.strictEqual(request?.status, "waiting")
    }))

  it.effect("searches another chain of an open address: money that is already on its destination chain is refunded there", () =>
    Effect.gen(function*() {
      const { chains, fresh, url } = yield* Running
      const refundTo = fresh()
      const { depositAddress } = yield* made({ refundTo })
      yield* payTo(chains.beta, chains.users[2] ?? "0x", depositAddress, ETH, ETH.some)
      const answer = yield* ask({ depositAddress, targetChainId: chains.beta.chainId })
      assert.deepInclude(answer.json(), { message: "1 withdrawal queued" })
      yield* eventually("it is back", held(chains.beta, ETH, refundTo), (units) => units > 0n)
      const [request] = yield* eventually(
        "the leg is shown",
        requestsOf(url, depositAddress),
        ([one]) => one?.data.refunds[0]?.state === "paid"
      )
      assert.deepInclude(request?.data.refunds[0], { chainId: chains.beta.chainId, recipient: refundTo })
    }))

  it.effect("finds nothing at an empty address, and marks sweep as deprecated", () =>
    Effect.gen(function*() {
      const { depositAddress } = yield* made()
      const answer = yield* ask({ depositAddress, sweep: true })
      assert.deepStrictEqual(answer.json(), {
        message: "nothing lies at the deposit address",
        triggeredCurrencies: [],
        checkedCurrencies: 5,
        failedCurrencies: 0
      })
      assert.match(answer.headers.get("deprecation") ?? "", /^@\d+$/u)
    }))

  it.effect("is refused with a message and nothing else", () =>
    Effect.gen(function*() {
      const { chains, fresh } = yield* Running
      const strict = yield* made({ strict: true, refundTo: fresh() })
      const hers = yield* made({}, { "x-api-key": "alice" })
      const { depositAddress } = yield* made()
      const cases: ReadonlyArray<readonly [number, object, Readonly<Record<string, string>>]> = [
        [400, { depositAddress: "0x12" }, {}],
        [400, { depositAddress, chainId: 77 }, {}],
        [400, { depositAddress: 5 }, {}],
        [400, {}, {}],
        [400, { depositAddress, targetChainId: 77 }, {}],
        [400, { depositAddress, currency: fresh() }, {}],
        [400, { depositAddress: strict.depositAddress, targetChainId: chains.beta.chainId }, {}],
        [404, { depositAddress: fresh() }, {}],
        [404, { depositAddress, chainId: chains.beta.chainId }, {}],
        [403, { depositAddress: hers.depositAddress }, {}],
        [403, { depositAddress: hers.depositAddress }, { "x-api-key": "bob" }],
        [403, { depositAddress }, { "x-api-key": "nobody" }],
        // Of several refusals the first in the order 400, 404, 403.
        [400, { depositAddress: "0x12" }, { "x-api-key": "nobody" }],
        [400, { depositAddress: fresh(), targetChainId: 77 }, { "x-api-key": "nobody" }],
        [400, { depositAddress: hers.depositAddress, currency: fresh() }, { "x-api-key": "bob" }],
        [400, { depositAddress: strict.depositAddress, targetChainId: chains.beta.chainId }, { "x-api-key": "nobody" }],
        [404, { depositAddress: fresh() }, { "x-api-key": "nobody" }],
        [415, { depositAddress }, { "content-type": "text/plain" }]
      ]
      for (const [status, body, headers] of cases) {
        const answer = yield* ask(body, headers)
        assert.strictEqual(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`)
        assertMessageOnly(answer)
      }
      assert.strictEqual((yield* ask({ depositAddress: hers.depositAddress }, { "x-api-key": "alice" })).status, 200)
    }))

  it.effect("that can read nothing is a 503, and does not start the minute", () =>
    Effect.gen(function*() {
      const { alphaNode } = yield* Running
      const { depositAddress } = yield* made()
      alphaNode.lie((call, truth) => call.method === "eth_call" ? Promise.reject(new Error("no answer")) : truth())
      const answer = yield* ask({ depositAddress })
      assert.strictEqual(answer.status, 503, answer.text)
      assertMessageOnly(answer)
      alphaNode.tellTheTruth()
      assert.strictEqual((yield* ask({ depositAddress })).status, 200)
    }))

  it.effect("whose client leaves before its answer does not start the minute", () =>
    Effect.gen(function*() {
      const { alphaNode, chains, environment, url } = yield* Running
      const { depositAddress } = yield* made()
      const notes = notesOf(environment["DATABASE_URL"] ?? "", depositAddress)
      alphaNode.lie((call, truth) => call.method === "eth_call" ? new Promise(() => undefined) : truth())
      const client = new AbortController()
      const asked = fetch(`${url}/transactions/deposit-address/reindex`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ chainId: chains.alpha.chainId, depositAddress }),
        signal: client.signal
      }).then(() => "answered", () => "gone")
      yield* eventually("it is under way", notes, (count) => count === 1)
      client.abort()
      assert.strictEqual(yield* Effect.promise(() => asked), "gone")
      yield* eventually("its note is taken back", notes, (count) => count === 0)
      alphaNode.tellTheTruth()
      assert.strictEqual((yield* ask({ depositAddress })).status, 200)
    }))

  it.effect("shows records that anyone may read", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { depositAddress, requestId } = yield* made()
      const byRequest = yield* get(`${url}/deposit-addresses?requestId=${requestId}`)
      const byAddress = yield* get(
        `${url}/deposit-addresses?chainId=${chains.alpha.chainId}&address=${
          depositAddress.toUpperCase().replace("0X", "0x")
        }`
      )
      assert.strictEqual(byRequest.text, byAddress.text)
      assert.deepStrictEqual(
        yield* Effect.forEach([
          `?chainId=${chains.beta.chainId}&address=${depositAddress}`,
          `?requestId=0x${"12".repeat(32)}`,
          "",
          `?chainId=${chains.alpha.chainId}`,
          `?requestId=${requestId}&chainId=1&address=0x`
        ], (query) => Effect.map(get(`${url}/deposit-addresses${query}`), ({ status }) => status)),
        [404, 404, 400, 400, 400]
      )
    }))
})

const Entries = Schema.fromJsonString(Schema.Array(Schema.Record(Schema.String, Schema.Json)))

/** Beta has no factory. */
const withoutFactory = (chains: string): string =>
  JSON.stringify(
    Schema.decodeUnknownSync(Entries)(chains).map((entry) =>
      entry["id"] === "beta"
        ? Object.fromEntries(Object.entries(entry).filter(([name]) => name !== "depositAddresses"))
        : entry
    )
  )

it.live("a reindex on a chain without deposit addresses is a 400, for any caller and request", () =>
  Effect.scoped(Effect.gen(function*() {
    const { chains: { alpha, beta, users: [user = "0x"] }, environment } = yield* startNetwork
    yield* addKeys(environment["DATABASE_URL"] ?? "", ["alice"])
    const { url } = yield* startTransferInstance(environment, yield* configuredFolder(withoutFactory))
    const { depositAddress } = yield* addressFor(
      url,
      nativeRequest(privateKeyToAccount(user).address, alpha, beta, ETH.some),
      { "x-api-key": "alice" }
    )
    const unknown = `0x${"e1".repeat(20)}`
    const cases: ReadonlyArray<readonly [number, object, Readonly<Record<string, string>>]> = [
      [200, { depositAddress }, { "x-api-key": "alice" }],
      [429, { depositAddress }, { "x-api-key": "alice" }],
      ...[{ "x-api-key": "alice" }, { "x-api-key": "nobody" }, {}].flatMap((headers) =>
        [depositAddress, unknown].map((asked) =>
          [400, { depositAddress: asked, targetChainId: beta.chainId }, headers] as const
        )
      ),
      [400, { chainId: beta.chainId, depositAddress: unknown }, {}]
    ]
    for (const [status, body, headers] of cases) {
      const answer = yield* reindex(url, { chainId: alpha.chainId, ...body }, headers)
      assert.strictEqual(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`)
      if (status === 400) assert.match(answer.text, /has no deposit addresses/u)
    }
  })))
