/** The routes besides /quote and /intents/status on a real host, for clients and operators. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { ended, nativeRequest, post, quote, reader, sendDeposit } from "../../testing/Client.ts"
import { collectEvents, eventsOf } from "../../testing/Events.ts"
import { get } from "../../testing/Get.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { signInReasons } from "../../../../src/domain/api-key/SignInRefused.ts"
import { payoutReasons } from "../../../../src/domain/ledger/PayoutRefused.ts"
import { quoteErrorCodes } from "../../../../src/domain/quote/QuoteError.ts"
import { pathOfErrorPage } from "../../endpoints/ErrorPages.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"

class Running extends fixtureOf<Running>()("test/Api", startFixture(startNetwork, { settings: { ADMIN_TOKEN } })) {}

const requestIdOf = (quoted: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }) =>
  quoted.steps[0]?.requestId ?? ""

const Requests = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    user: Schema.String,
    createdAt: Schema.String,
    data: Schema.Struct({
      inTxs: Schema.Array(
        Schema.Struct({ hash: Schema.String, chainId: Schema.Int, block: Schema.Int, timestamp: Schema.Int })
      ),
      outTxs: Schema.Array(
        Schema.Struct({ hash: Schema.String, chainId: Schema.Int, block: Schema.Int, fee: Schema.String })
      ),
      refunds: Schema.Array(
        Schema.Struct({
          state: Schema.String,
          reason: Schema.String,
          inTxHash: Schema.String,
          txHash: Schema.String,
          amount: Schema.String,
          refunded: Schema.String
        })
      ),
      failReason: Schema.String
    })
  }))
})
const Message = Schema.Struct({ message: Schema.NonEmptyString })
const Status = Schema.fromJsonString(Schema.Struct({ status: Schema.String }))

layer(Running.layer, { excludeTestServices: true })("the API of the transfer service", (it) => {
  const transfer = Effect.fnUntraced(function*(index: number, amount: bigint = parseEther("0.2")) {
    const { chains, url } = yield* Running
    const key = chains.users[index] ?? "0x"
    const user = privateKeyToAccount(key).address
    return { key, user, quoted: yield* quote(url, nativeRequest(user, chains.alpha, chains.beta, amount)) }
  })

  it.effect("answers 405 with Allow for a known path, 404 for others, and HEAD like GET", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (
        const [method, path, allow] of [
          ["GET", "/quote", "POST"],
          ["DELETE", "/chains", "GET"],
          ["PUT", "/admin/pauses", "POST, GET"],
          ["POST", "/admin/pauses/x", "DELETE"],
          ["POST", "/openapi.json", "GET"],
          ["PATCH", "/documentation/errors/X", "GET"]
        ] as const
      ) {
        const answer = yield* get(`${url}${path}`, { method })
        assert.strictEqual(answer.status, 405, path)
        assert.strictEqual(answer.headers.get("allow"), allow, path)
        Schema.decodeUnknownSync(Message)(answer.json())
      }
      const nowhere = yield* get(`${url}/nowhere`, { method: "DELETE" })
      assert.strictEqual(nowhere.status, 404)
      Schema.decodeUnknownSync(Message)(nowhere.json())
      assert.strictEqual((yield* get(`${url}/chains?x=1`, { method: "HEAD" })).status, 200)
    }))

  it.effect("answers invalid addresses with a JSON body, and never with a 5xx", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const paths = [
        "/%",
        "/%zz",
        "/%E0%A4%A",
        "//quote",
        "/quote/",
        "/..%2f..%2fetc%2fpasswd",
        "/admin/pauses/%",
        "/admin/pauses/%zz",
        `/admin/pauses/${"a".repeat(2000)}`,
        "/documentation/errors/%",
        "/documentation/errors/NOPE",
        "/intents/status?requestId=%zz",
        "/requests?id=%zz&id=%zz",
        "/requests?__proto__=1",
        "/currencies?chainId=1&chainId=2",
        `/${"x".repeat(8000)}`,
        "/constructor",
        "/__proto__"
      ]
      for (const path of paths) {
        for (const method of ["GET", "POST", "DELETE"]) {
          const answer = yield* get(`${url}${path}`, { method })
          const what = `${method} ${path.slice(0, 60)}: ${answer.status} ${answer.text.slice(0, 100)}`
          assert.isTrue(answer.status >= 400 && answer.status < 500, what)
          assert.include(answer.type, "application/json", what)
          Schema.decodeUnknownSync(Message)(answer.json())
        }
      }
    }))

  it.effect("serves its documentation completely, without external resources", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { text } = yield* get(`${url}/documentation`)
      assert.include(text, "/transactions/index")
      assert.notMatch(text, /<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?\/\//i)
    }))

  it.effect("tells every bad field at once, with a link to a page that exists, as every code has one, for people and for programs", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const refused = yield* post(`${url}/quote`, {
        user: "x",
        originChainId: "alpha",
        amount: "-1",
        tradeType: "SOME"
      })
      const { docs, errorData, message } = refused.json() as Readonly<Record<string, string>>
      for (const field of ["originChainId", "amount", "tradeType", "destinationCurrency: is missing"]) {
        assert.include(message, field)
      }
      assert.strictEqual(errorData, message?.split(":")[0])
      assert.strictEqual(docs, `${url}/documentation/errors/INVALID_REQUEST`)
      const plain = yield* get(docs ?? "")
      const page = yield* get(docs ?? "", { headers: { accept: "text/html" } })
      assert.deepStrictEqual([plain.status, plain.type.slice(0, 10)], [200, "text/plain"])
      assert.deepStrictEqual([page.status, page.type.slice(0, 9)], [200, "text/html"])
      assert.include(page.text, "INVALID_REQUEST")
      for (const code of [...quoteErrorCodes, ...signInReasons, ...payoutReasons]) {
        const linked = yield* get(`${url}${pathOfErrorPage(code)}`)
        assert.deepStrictEqual([linked.status, linked.text.split("\n")[0]], [200, code])
      }
    }))

  it.effect("introduces itself to language models, and labels its server by its environment", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { text } = yield* get(`${url}/llms.txt`)
      assert.include(text, `${url}/openapi.json`)
      assert.include(text, "- POST /price: ")
      for (const [, link = ""] of text.matchAll(/\]\((http[^)]*)\)/gu)) {
        assert.strictEqual((yield* get(link)).status, 200, link)
      }
      const { servers } = (yield* get(`${url}/openapi.json`)).json() as { readonly servers: unknown }
      assert.deepStrictEqual(servers, [{ url, description: "local network" }])
    }))

  it.effect("allows any page to use it, with the headers that clients send", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const asked = "content-type,x-api-key,idempotency-key"
      const preflight = yield* get(`${url}/quote`, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": asked
        }
      })
      assert.strictEqual(preflight.status, 204)
      assert.strictEqual(preflight.headers.get("access-control-allow-origin"), "*")
      assert.strictEqual(preflight.headers.get("access-control-allow-headers"), asked)
      assert.include(preflight.headers.get("access-control-allow-methods") ?? "", "POST")
      for (const path of ["/chains", "/nowhere", "/intents/status"]) {
        const answer = yield* get(`${url}${path}`, { headers: { origin: "https://app.example" } })
        assert.strictEqual(answer.headers.get("access-control-allow-origin"), "*", path)
        assert.include(answer.headers.get("access-control-expose-headers") ?? "", "Retry-After")
      }
    }))

  it.effect("lists the currencies of a chain, and of all chains", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const Currencies = Schema.Array(
        Schema.Struct({ chainId: Schema.Int, symbol: Schema.String, decimals: Schema.Int })
      )
      const of = (text: string) => Schema.decodeUnknownSync(Schema.fromJsonString(Currencies))(text)
      const alpha = of((yield* get(`${url}/currencies?chainId=${chains.alpha.chainId}`)).text)
      assert.deepStrictEqual(alpha.map(({ symbol }) => symbol), ["ETH", "USDC", "USDT", "WETH", "DAI", "GEM"])
      assert.isTrue(alpha.every(({ chainId }) => chainId === chains.alpha.chainId))
      assert.strictEqual(of((yield* get(`${url}/currencies`)).text).length, 12)
      for (const chainId of ["1", "x", "-5", "1.5", "__proto__"]) {
        const answer = yield* get(`${url}/currencies?chainId=${chainId}`)
        assert.strictEqual(answer.status, 400, chainId)
        assert.include(answer.text, "chainId")
      }
    }))

  it.effect("streams every state of a request and ends after the last", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { key, quoted } = yield* transfer(0)
      const address = `${url}/intents/status/stream?requestId=${requestIdOf(quoted)}`
      const stream = yield* Effect.promise(() => fetch(address))
      yield* sendDeposit(chains.alpha, key, quoted)
      const events = eventsOf(yield* Effect.promise(() => stream.text()))
      const states = events.map(({ data }) => Schema.decodeUnknownSync(Status)(data).status)
      assert.strictEqual(states[0], "waiting")
      assert.strictEqual(states.at(-1), "success")
      assert.isTrue(events.every(({ event }) => event === "status"))
      assert.deepStrictEqual(events.map(({ id }) => Number(id)), states.map((_, index) => index), states.join())
      const status = yield* get(`${url}/intents/status?requestId=${requestIdOf(quoted)}`)
      assert.deepStrictEqual(JSON.parse(events.at(-1)?.data ?? ""), status.json())

      const again = yield* collectEvents(address)
      assert.deepStrictEqual(again, events.slice(-1), "the current state first, and last")
      const since = yield* collectEvents(address, { "last-event-id": "1" })
      assert.deepStrictEqual(since.map(({ id }) => id), events.slice(2).map(({ id }) => id))
    }))

  it.effect("streams unknown for an id that does not exist, and refuses an invalid id", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const events = yield* collectEvents(`${url}/intents/status/stream?requestId=0x${"0".repeat(64)}`)
      assert.deepStrictEqual(events.map(({ data }) => Schema.decodeUnknownSync(Status)(data).status), ["unknown"])
      assert.strictEqual((yield* get(`${url}/intents/status/stream?requestId=0x1`)).status, 400)
    }))

  it.effect("gives a client twenty streams, and a free one when one is closed", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { quoted } = yield* transfer(1)
      const address = `${url}/intents/status/stream?requestId=${requestIdOf(quoted)}`
      const open = () =>
        Effect.promise(async () => {
          const controller = new AbortController()
          const response = await fetch(address, { signal: controller.signal })
          await response.body?.getReader().read()
          return { status: response.status, close: () => controller.abort() }
        })
      const streams = yield* Effect.forEach(Array.from({ length: 20 }), open)
      assert.isTrue(streams.every(({ status }) => status === 200))
      const refused = yield* get(address)
      assert.strictEqual(refused.status, 429)
      assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
      streams[0]?.close()
      const another = yield* Effect.repeat(Effect.delay(open(), "50 millis"), { until: ({ status }) => status === 200 })
      for (const each of [...streams, another]) each.close()
    }))

  it.effect("checks a transaction on request, in the spellings that clients use", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { key, quoted } = yield* transfer(2)
      const { transactionHash: txHash } = yield* sendDeposit(chains.alpha, key, quoted)
      const chainId = chains.alpha.chainId
      const bodies = [
        ["/transactions/index", { txHash, chainId }],
        ["/transactions/index", { txHash, chainId: `${chainId}`, requestId: requestIdOf(quoted), referrer: "x" }],
        ["/transactions/single", {
          requestId: requestIdOf(quoted),
          chainId,
          tx: JSON.stringify({ txHash, type: "evm" })
        }]
      ] as const
      for (const [path, body] of bodies) {
        const answer = yield* post(`${url}${path}`, body)
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(Schema.decodeUnknownSync(Message)(answer.json()).message, "the deposit is recorded")
      }
      const end = yield* ended(url, quoted)
      assert.strictEqual(end.status, "success")
      assert.deepStrictEqual(end.inTxHashes, [txHash])
      const fill = yield* post(`${url}/transactions/index`, { txHash: end.txHashes[0], chainId: chains.beta.chainId })
      assert.include(fill.text, "holds no deposit")
      const unknown = yield* post(`${url}/transactions/index`, { txHash: `0x${"12".repeat(32)}`, chainId })
      assert.strictEqual(unknown.status, 200)
      assert.include(unknown.text, "not have this transaction")
    }))

  it.effect("refuses invalid transactions and chains that are not served, and names the field", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const chainId = chains.alpha.chainId
      const txHash = `0x${"12".repeat(32)}`
      const requestId = `0x${"0".repeat(64)}`
      for (
        const [path, body, field] of [
          ["/transactions/index", { txHash: "0x12", chainId }, "txHash"],
          ["/transactions/index", { chainId }, "txHash"],
          ["/transactions/index", { txHash, chainId: 1 }, "chainId"],
          ["/transactions/index", { txHash, chainId: "1e3" }, "chainId"],
          ["/transactions/index", { txHash, chainId: -1 }, "chainId"],
          ["/transactions/index", { txHash, chainId, requestId: "x" }, "requestId"],
          ["/transactions/single", { requestId, chainId, tx: "{" }, "tx"],
          ["/transactions/single", { requestId, chainId, tx: "[]" }, "tx"],
          ["/transactions/single", { requestId, chainId, tx: { txHash } }, "tx"]
        ] as const
      ) {
        const answer = yield* post(`${url}${path}`, body)
        assert.strictEqual(answer.status, 400, answer.text)
        assert.include(Schema.decodeUnknownSync(Message)(answer.json()).message, field)
      }
    }))

  it.effect("finds a request by id, order id and each of its transactions", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { key, quoted, user } = yield* transfer(3)
      const receipt = yield* sendDeposit(chains.alpha, key, quoted)
      const end = yield* ended(url, quoted)
      const orderId = `0x${quoted.steps[0]?.items[0]?.data.data.slice(-64)}`
      const queries = [
        `id=${requestIdOf(quoted)}`,
        `orderId=${orderId}`,
        `txHash=${receipt.transactionHash}`,
        `txHash=${end.txHashes[0]?.toUpperCase().replace("0X", "0x")}`
      ]
      for (const query of queries) {
        const answer = yield* get(`${url}/requests?${query}`, {
          headers: { "x-api-key": "unknown keys are ignored here" }
        })
        assert.strictEqual(answer.status, 200, answer.text)
        const { requests } = Schema.decodeUnknownSync(Requests)(answer.json())
        assert.deepStrictEqual(
          requests.map(({ id, status }) => [id, status]),
          [[requestIdOf(quoted), "success"]],
          query
        )
        const [request] = requests
        assert.strictEqual(request?.user, user.toLowerCase())
        const block = yield* Effect.promise(() => reader(chains.alpha).getBlock({ blockHash: receipt.blockHash }))
        assert.deepStrictEqual(request?.data.inTxs, [{
          hash: receipt.transactionHash,
          chainId: chains.alpha.chainId,
          block: Number(receipt.blockNumber),
          timestamp: Number(block.timestamp)
        }])
        const fill = yield* Effect.promise(() =>
          reader(chains.beta).getTransactionReceipt({ hash: end.txHashes[0] ?? "0x" })
        )
        assert.deepStrictEqual(request?.data.outTxs, [{
          hash: fill.transactionHash,
          chainId: chains.beta.chainId,
          block: Number(fill.blockNumber),
          fee: (fill.gasUsed * fill.effectiveGasPrice).toString()
        }])
      }
    }))

  it.effect("shows every refund leg with its reason in status and history", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { key, quoted } = yield* transfer(4)
      yield* sendDeposit(chains.alpha, key, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      const second = yield* sendDeposit(chains.alpha, key, quoted)
      const find = Effect.map(get(`${url}/requests?id=${requestIdOf(quoted)}`), (answer) =>
        Schema.decodeUnknownSync(Requests, { onExcessProperty: "ignore" })(answer.json()).requests[0])
      const refunded = find.pipe(
        Effect.catchDefect(() =>
          Effect.succeed(undefined)
        ),
        Effect.tap((found) => found?.data.refunds[0]?.state === "paid" ? Effect.void : Effect.sleep(100)),
        Effect.repeat({ until: (found) => found?.data.refunds[0]?.state === "paid" })
      )
      const request = yield* refunded
      const [leg] = request?.data.refunds ?? []
      assert.strictEqual(request?.status, "success")
      assert.strictEqual(leg?.reason, "DOUBLE_SPEND")
      assert.strictEqual(leg?.inTxHash, second.transactionHash)
      const refund = yield* Effect.promise(() =>
        reader(chains.alpha).getTransaction({ hash: (leg?.txHash ?? "0x") as `0x${string}` })
      )
      assert.strictEqual(refund.value.toString(), leg?.refunded)
      const status = yield* get(`${url}/intents/status?requestId=${requestIdOf(quoted)}`)
      assert.include(status.text, "\"reason\":\"DOUBLE_SPEND\"")
    }))

  it.effect("returns an empty list for unknown queries, and says when a key is needed", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (
        const query of [
          `id=0x${"0".repeat(64)}`,
          `orderId=0x${"ab".repeat(32)}`,
          `txHash=0x${"cd".repeat(32)}`,
          "txHash=nothing"
        ]
      ) {
        assert.deepStrictEqual((yield* get(`${url}/requests?${query}`)).json(), { requests: [] }, query)
      }
      for (const query of ["id=1", "orderId=0x12", `id=0x${"0".repeat(64)}&orderId=0x${"ab".repeat(32)}`, "id="]) {
        assert.strictEqual((yield* get(`${url}/requests?${query}`)).status, 400, query)
      }
      const listing = yield* get(`${url}/requests?limit=10`)
      assert.strictEqual(listing.status, 401)
      assert.include(listing.text, "UNAUTHORIZED")
      assert.strictEqual((yield* get(`${url}/requests`, { headers: { "x-api-key": "nobody's" } })).status, 401)
    }))

  it.effect("refuses an unknown API key on /quote", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const user = privateKeyToAccount(chains.users[0] ?? "0x").address
      const answer = yield* post(`${url}/quote`, nativeRequest(user, chains.alpha, chains.beta, 10n ** 17n), {
        "x-api-key": "nobody's"
      })
      assert.strictEqual(answer.status, 401)
      assert.include(answer.text, "UNAUTHORIZED")
    }))

  it.effect("repeats the stored answer for a repeated key, refuses another body, and runs one at a time", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const user = privateKeyToAccount(chains.users[5] ?? "0x").address
      const body = nativeRequest(user, chains.alpha, chains.beta, 10n ** 17n)
      const ask = (key: string, request: unknown, path = "/quote") =>
        post(`${url}${path}`, request, { "idempotency-key": key })
      const [first, ...others] = yield* Effect.all(Array.from({ length: 4 }, () => ask("key-1", body)), {
        concurrency: "unbounded"
      })
      const all = [first, ...others]
      assert.isTrue(
        all.every((answer) => answer?.status === 200 || answer?.status === 409),
        all.map((each) => each?.status).join()
      )
      const again = yield* ask("key-1", body)
      const answers = new Set([again, ...all].filter((answer) => answer?.status === 200).map((answer) => answer?.text))
      assert.strictEqual(answers.size, 1, "one quote was made")

      const other = yield* ask("key-1", { ...body, amount: "200000000000000000" })
      assert.strictEqual(other.status, 400)
      assert.include(other.text, "IDEMPOTENCY_KEY_REUSED")
      assert.strictEqual((yield* ask("key-1", body, "/quote/v2")).status, 200, "the route is part of the scope")
      // A refusal is not stored: the same key may be used for the corrected request.
      assert.strictEqual((yield* ask("key-2", { ...body, amount: "0" })).status, 400)
      assert.strictEqual((yield* ask("key-2", body)).status, 200)
      for (const [status, key] of [[200, "k".repeat(255)], [400, "k".repeat(256)]] as const) {
        const answer = yield* ask(key, body)
        assert.strictEqual(answer.status, status, answer.text)
      }
      const large = yield* ask("key-3", `"${"a".repeat(1_200_000)}"`)
      assert.deepStrictEqual([large.status, Object.keys(large.json() as object)], [413, ["message"]])
      const index = { txHash: `0x${"34".repeat(32)}`, chainId: chains.alpha.chainId }
      assert.strictEqual((yield* ask("key-1", index, "/transactions/index")).status, 200)
      assert.strictEqual(
        (yield* ask("key-1", { ...index, chainId: chains.beta.chainId }, "/transactions/index")).status,
        400
      )
    }))

  it.effect("pauses and resumes a chain, a currency and a route at once, with the admin token", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const [alpha, beta] = [chains.alpha.chainId, chains.beta.chainId]
      const user = privateKeyToAccount(chains.users[6] ?? "0x").address
      const forth = nativeRequest(user, chains.alpha, chains.beta, 10n ** 17n)
      const back = nativeRequest(user, chains.beta, chains.alpha, 10n ** 17n)
      const bearer = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const pauses = `${url}/admin/pauses`
      const code = (body: object) =>
        Effect.map(
          post(`${url}/quote`, body),
          ({ status, text }) =>
            status === 200
              ? "quoted"
              : Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({ errorCode: Schema.String })))(text)
                .errorCode
        )

      for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: `Basic ${ADMIN_TOKEN}` }]) {
        assert.strictEqual((yield* post(pauses, { kind: "chain", chainId: alpha }, headers)).status, 401)
        assert.strictEqual((yield* get(pauses, { headers })).status, 401)
      }
      const native = `0x${"00".repeat(20)}`
      const cases: ReadonlyArray<readonly [scope: object, forth: string, back: string]> = [
        [{ kind: "chain", chainId: alpha, reason: "maintenance" }, "CHAIN_DISABLED", "CHAIN_DISABLED"],
        [{ kind: "currency", chainId: beta, currency: native }, "CHAIN_DISABLED", "CHAIN_DISABLED"],
        [
          {
            kind: "currency",
            chainId: beta,
            currency: "0x156BE1AB50FD81B64705911D052A814D79F2B00E".replace("0X", "0x")
          },
          "quoted",
          "quoted"
        ],
        [{ kind: "route", originChainId: alpha, destinationChainId: beta }, "CHAIN_DISABLED", "quoted"],
        [
          { kind: "route", originChainId: beta, originCurrency: native, destinationChainId: alpha },
          "quoted",
          "CHAIN_DISABLED"
        ]
      ]
      for (const [scope, whenForth, whenBack] of cases) {
        const made = yield* post(pauses, scope, bearer)
        assert.strictEqual(made.status, 200, made.text)
        const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(made.json())
        assert.strictEqual((yield* post(pauses, scope, bearer)).text, made.text, "pausing twice is pausing once")
        assert.deepStrictEqual([yield* code(forth), yield* code(back)], [whenForth, whenBack], id)
        assert.include((yield* get(pauses, { headers: bearer })).text, id)
        const Chains = Schema.Struct({
          chains: Schema.Array(
            Schema.Struct({ id: Schema.Int, disabled: Schema.Boolean, depositEnabled: Schema.Boolean })
          )
        })
        const { chains: rows } = Schema.decodeUnknownSync(Chains)((yield* get(`${url}/chains`)).json())
        assert.deepStrictEqual(rows.map(({ disabled, depositEnabled }) => disabled === !depositEnabled && disabled), [
          id === `chain:${alpha}`,
          false
        ])
        const resumed = yield* get(`${pauses}/${encodeURIComponent(id)}`, { method: "DELETE", headers: bearer })
        assert.deepStrictEqual(resumed.json(), { pauses: [] })
        assert.deepStrictEqual([yield* code(forth), yield* code(back)], ["quoted", "quoted"])
      }
      assert.strictEqual((yield* get(`${pauses}/chain:5`, { method: "DELETE", headers: bearer })).status, 404)
      assert.strictEqual((yield* post(pauses, { kind: "chain", chainId: 5 }, bearer)).status, 400)
      assert.strictEqual((yield* post(pauses, { kind: "currency", chainId: alpha, currency: "x" }, bearer)).status, 400)
    }))

  it.effect("limits by client address behind a trusted proxy, has no admin routes without a token, and limits transaction checks", () =>
    Effect.gen(function*() {
      const { chains, environment, startInstance } = yield* Running
      const host = yield* startInstance({
        TRANSFER_PORT: `${yield* anyFree}`,
        DATABASE_URL: `${environment["DATABASE_URL"]}.second`,
        RATE_LIMIT_QUOTE: "3",
        TRUSTED_PROXIES: "127.0.0.0/8"
      })
      // It shares its process with the first host, which was asked before, and none of its counts.
      const counts = (yield* get(`${host.url}/metrics`)).text.split("\n").filter((line) =>
        line.startsWith("causeway_http_requests_total{") && line.includes("\"/quote\"") && !line.endsWith(" 0")
      )
      assert.deepStrictEqual(counts, [])
      const user = privateKeyToAccount(chains.users[7] ?? "0x").address
      const ask = (client: string) =>
        Effect.promise(() =>
          fetch(`${host.url}/quote`, {
            method: "POST",
            headers: { "content-type": "application/json", "x-forwarded-for": client },
            body: JSON.stringify(nativeRequest(user, chains.alpha, chains.beta, 10n ** 17n))
          })
        )
      for (const left of [2, 1, 0]) {
        const answer = yield* ask("198.51.100.7")
        assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.headers.get("ratelimit")?.split(";")[1], `r=${left}`)
      }
      const refused = yield* ask("198.51.100.7")
      assert.strictEqual(refused.status, 429)
      assert.isAtLeast(Number(refused.headers.get("retry-after")), 1)
      assert.strictEqual(refused.headers.get("ratelimit-policy"), "\"quote\";q=3;w=60")
      const ShapeC = Schema.Struct({
        message: Schema.NonEmptyString,
        statusCode: Schema.Literal(429),
        retryable: Schema.Literal(true),
        docs: Schema.String
      })
      Schema.decodeUnknownSync(ShapeC)(yield* Effect.promise(() => refused.json()))
      assert.strictEqual((yield* ask("198.51.100.8")).status, 200, "another client has a bucket of its own")
      // The other routes have no limit here: the environment is local, and none is set.
      for (let count = 0; count < 10; count++) assert.strictEqual((yield* get(`${host.url}/chains`)).status, 200)

      for (
        const [method, path] of [
          ["POST", "/admin/pauses"],
          ["GET", "/admin/pauses"],
          ["DELETE", "/admin/pauses/x"],
          ["POST", "/api-keys"],
          ["GET", "/api-keys"],
          ["DELETE", "/api-keys/x"],
          ["POST", "/api-keys/x/rotate"]
        ] as const
      ) {
        const answer = yield* get(`${host.url}${path}`, { method, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
        assert.strictEqual(answer.status, 404, `${method} ${path}`)
      }

      // All callers share a chain's readings. Each caller has a third of them.
      const look = (caller: number) =>
        post(`${host.url}/transactions/index`, { txHash: `0x${"56".repeat(32)}`, chainId: chains.alpha.chainId }, {
          "x-forwarded-for": `198.51.100.${20 + caller}`
        })
      const looks = yield* Effect.all(Array.from({ length: 100 }, (_, index) => look(index % 5)), { concurrency: 10 })
      const statuses = looks.map(({ status }) => status)
      assert.isAtLeast(statuses.filter((status) => status === 200).length, 60)
      assert.isAtLeast(statuses.filter((status) => status === 429).length, 1)
      assert.deepStrictEqual([...new Set(statuses)].toSorted((a, b) => a - b), [200, 429])
    }))
})
