/**
 * Webhooks from a real host to a real receiver: what is sent, in which order, and what happens when a delivery fails.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createHmac } from "node:crypto"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { verifyWebhook } from "../../../../src/domain/webhook/VerifyWebhook.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { nativeRequest, postQuote, QuoteAnswer, sendDeposit } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { eventually, startReceiver } from "../../testing/Receiver.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()(
  "test/Webhooks",
  startFixture(startNetwork, { keys: ["alice", "bob", "carol", "dave", "erin"] })
) {}

const Made = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  secret: Schema.String,
  previousSecretUntil: Schema.NullOr(Schema.String)
})
const Listed = Schema.Struct({ webhooks: Schema.Array(Schema.Struct({ id: Schema.String })) })
const Log = Schema.Struct({
  deliveries: Schema.Array(Schema.Struct({
    id: Schema.String,
    eventId: Schema.String,
    sequence: Schema.Int,
    state: Schema.String,
    nextTryAt: Schema.NullOr(Schema.String),
    tries: Schema.Array(
      Schema.Struct({ status: Schema.NullOr(Schema.Int), failure: Schema.NullOr(Schema.String), latencyMs: Schema.Int })
    )
  })),
  continuation: Schema.optionalKey(Schema.String)
})

layer(Running.layer, { excludeTestServices: true })("webhooks", (it) => {
  const send = Effect.fnUntraced(
    function*(
      path: string,
      key: string,
      body: unknown,
      method: string = "POST",
      headers: Readonly<Record<string, string>> = {}
    ) {
      const { url } = yield* Running
      return yield* get(`${url}/webhooks${path}`, {
        method,
        headers: { "x-api-key": key, "content-type": "application/json", ...headers },
        ...(method === "POST" ? { body: JSON.stringify(body) } : {})
      })
    }
  )
  const subscribe = Effect.fnUntraced(function*(key: string, url: string) {
    const answer = yield* send("", key, { url })
    assert.strictEqual(answer.status, 200, answer.text)
    return Schema.decodeUnknownSync(Made)(answer.json())
  })
  const log = Effect.fnUntraced(function*(key: string, query: string = "") {
    return Schema.decodeUnknownSync(Log)((yield* send(`/deliveries${query}`, key, undefined, "GET")).json()).deliveries
  })
  const paid = Effect.fnUntraced(function*(key: string, index: number) {
    const { chains, url } = yield* Running
    const user = chains.users[index] ?? "0x"
    const body = nativeRequest(privateKeyToAccount(user).address, chains.alpha, chains.beta, parseEther("0.1"))
    const quoted = Schema.decodeUnknownSync(QuoteAnswer)(
      (yield* postQuote(url, body, { "x-api-key": key })).json()
    )
    yield* sendDeposit(chains.alpha, user, quoted)
    return quoted.steps[0]?.requestId ?? ""
  })

  it.effect("report every change of a request in order, signed, with the status endpoint's content", () =>
    Effect.gen(function*() {
      const { host, url } = yield* Running
      const receiver = yield* startReceiver()
      const { id, secret } = yield* subscribe("alice", receiver.url)
      const request = yield* paid("alice", 0)
      yield* paid("bob", 1)
      yield* eventually(
        "success is told",
        () => receiver.received.some(({ json }) => json.data["status"] === "success")
      )
      assert.deepStrictEqual(
        receiver.received.map(({ json }) => json.sequence),
        receiver.received.map((_, index) => index + 1),
        "from 1, without a gap"
      )
      const last = receiver.received.at(-1) ?? assert.fail("nothing")
      for (const { body, headers, json } of receiver.received) {
        assert.deepStrictEqual([json.event, json.id], ["request.status.updated", `${request}.${json.sequence}`])
        const timestamp = String(headers["x-signature-timestamp"])
        assert.strictEqual(
          headers["x-signature-sha256"],
          createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")
        )
        assert.deepStrictEqual(verifyWebhook({ body, headers, secrets: [secret], now: Date.now() }), { ok: true })
        assert.strictEqual(body, JSON.stringify(json), "a receiver that writes it again gets the same text")
      }
      const status = (yield* get(`${url}/intents/status?requestId=${request}`)).json()
      assert.deepStrictEqual(last.json.data, status)
      // A delivery is recorded once its answer has come.
      const deliveries = yield* Effect.repeat(log("alice"), {
        until: (all) => all.every(({ state }) => state === "delivered")
      })
      assert.deepStrictEqual(
        deliveries.map((
          { sequence, state, tries }
        ) => [sequence, state, tries.map(({ failure, status }) => [status, failure])]),
        receiver.received.map(({ json }) => [json.sequence, "delivered", [[200, null]]]).toReversed()
      )
      assert.deepStrictEqual(yield* log("bob"), [], "nobody else's")

      const replayed = yield* send(`/deliveries/${encodeURIComponent(deliveries.at(0)?.id ?? "")}/replay`, "alice", {})
      assert.strictEqual(replayed.status, 200, replayed.text)
      const count = receiver.received.length
      yield* eventually("it is told again", () => receiver.received.length > count)
      assert.strictEqual(receiver.received.at(-1)?.body, last.body)
      assert.strictEqual(
        (yield* send(`/deliveries/${encodeURIComponent(deliveries.at(0)?.id ?? "")}/replay`, "bob", {})).status,
        404
      )

      const rotated = Schema.decodeUnknownSync(Made)(
        (yield* send(`/${id}/secret`, "alice", { overlapSeconds: 60 })).json()
      )
      assert.notStrictEqual(rotated.secret, secret)
      yield* send(`/deliveries/${encodeURIComponent(deliveries.at(0)?.id ?? "")}/replay`, "alice", {})
      const both = yield* eventually("it is told with both", () => receiver.received[count + 1])
      for (const secrets of [[secret], [rotated.secret]]) {
        assert.isTrue(verifyWebhook({ ...both, secrets, now: Date.now() }).ok)
      }
      yield* send(`/${id}/secret`, "alice", { overlapSeconds: 0 })
      yield* send(`/deliveries/${encodeURIComponent(deliveries.at(1)?.id ?? "")}/replay`, "alice", {})
      const neither = yield* eventually("it is told with the newest alone", () => receiver.received[count + 2])
      for (const secrets of [[secret], [rotated.secret]]) {
        assert.isFalse(verifyWebhook({ ...neither, secrets, now: Date.now() }).ok)
      }

      const listed = yield* send("", "alice", undefined, "GET")
      assert.notInclude(listed.text, "whsec_")
      assert.notInclude(host.output(), "whsec_")
      assert.strictEqual((yield* send(`/${id}`, "bob", undefined, "DELETE")).status, 404)
      assert.deepStrictEqual(
        Schema.decodeUnknownSync(Listed)((yield* send(`/${id}`, "alice", undefined, "DELETE")).json()),
        { webhooks: [] }
      )
      assert.deepStrictEqual(yield* log("alice"), [])
    }).pipe(Effect.scoped))

  it.effect("that are not accepted are retried, one request's in order, while others continue", () =>
    Effect.gen(function*() {
      const good = yield* startReceiver()
      const bad = yield* startReceiver()
      const elsewhere = yield* startReceiver()
      let refused = 0
      // First an error, then a redirect, then a proper answer.
      bad.answer = (response) => {
        refused += 1
        if (refused === 1) response.writeHead(500).end("secret of the receiver")
        else if (refused === 2) response.writeHead(302, { location: elsewhere.url }).end()
        else response.writeHead(204).end()
      }
      yield* subscribe("carol", bad.url)
      yield* subscribe("carol", good.url)
      yield* paid("carol", 2)
      yield* eventually(
        "the good one has it all",
        () => good.received.some(({ json }) => json.data["status"] === "success")
      )
      yield* eventually(
        "and then the bad one",
        () => bad.received.some(({ json }) => json.data["status"] === "success")
      )
      assert.deepStrictEqual(bad.received.map(({ json }) => json.sequence), [
        1,
        1,
        ...good.received.map(({ json }) => json.sequence)
      ])
      assert.strictEqual(new Set(bad.received.slice(0, 3).map(({ body }) => body)).size, 1, "one event, one text")
      assert.deepStrictEqual(elsewhere.received, [], "a redirect is not followed")
      const first = (yield* log("carol")).filter(({ sequence, tries }) => sequence === 1 && tries.length > 1)
      assert.deepStrictEqual(first.map(({ tries }) => tries.map(({ status }) => status)), [[500, 302, 204]])
      assert.notInclude((yield* send("/deliveries", "carol", undefined, "GET")).text, "secret of the receiver")
    }).pipe(Effect.scoped))

  it.effect("have secrets that no Idempotency-Key stores: an answer with one is neither stored nor cached", () =>
    Effect.gen(function*() {
      const secretOf = Effect.fnUntraced(function*(path: string, body: object) {
        const answer = yield* send(path, "erin", body, "POST", { "idempotency-key": "same" })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
        assert.isNull(answer.headers.get("idempotent-replayed"))
        return Schema.decodeUnknownSync(Made)(answer.json())
      })
      const made = [
        yield* secretOf("", { url: "https://app.example/" }),
        yield* secretOf("", { url: "https://app.example/" })
      ]
      const path = `/${made[0]?.id}/secret`
      const rotated = [yield* secretOf(path, {}), yield* secretOf(path, {})]
      assert.strictEqual(new Set([...made, ...rotated].map(({ secret }) => secret)).size, 4, "each is new")
      // The Idempotency-Key left nothing behind: with another body it would be refused.
      yield* secretOf("", { url: "https://other.example/" })
      yield* secretOf(path, { overlapSeconds: 0 })
      assert.isNull(
        (yield* send("", "erin", undefined, "GET")).headers.get("cache-control"),
        "what holds no secret says nothing"
      )
    }))

  it.effect("cannot be created without a key, for addresses that are not public, or beyond their number", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const method of ["GET", "POST"]) {
        assert.strictEqual((yield* send("", "nobody's", { url: "https://app.example" }, method)).status, 401)
      }
      assert.strictEqual((yield* get(`${url}/webhooks`)).status, 401)
      assert.strictEqual((yield* get(`${url}/webhooks/deliveries`)).status, 401)
      for (
        const target of [
          "https://169.254.169.254/latest/meta-data",
          "http://10.0.0.1/",
          "https://[::ffff:10.0.0.1]/",
          "ftp://app.example/",
          "app.example",
          "https://a:b@app.example/"
        ]
      ) {
        const answer = yield* send("", "dave", { url: target })
        assert.strictEqual(answer.status, 400, `${target}: ${answer.text}`)
        assert.include(answer.text, "url")
      }
      for (const lowBalance of ["0", "-1", "1.5", "abc", `1${"0".repeat(19)}`, 5]) {
        assert.strictEqual(
          (yield* send("", "dave", { url: "https://app.example/", lowBalance })).status,
          400,
          String(lowBalance)
        )
      }
      for (let count = 0; count < 5; count++) {
        assert.strictEqual(
          (yield* send("", "dave", { url: "https://app.example/", lowBalance: "5000000" })).status,
          200
        )
      }
      assert.strictEqual((yield* send("", "dave", { url: "https://app.example/" })).status, 400)
      assert.strictEqual((yield* send("/deliveries?continuation=abc", "dave", undefined, "GET")).status, 400)
      assert.strictEqual((yield* send("/wh_000000000000000000000000/secret", "dave", {})).status, 404)
      assert.strictEqual((yield* send("/deliveries/nothing/replay", "dave", {})).status, 404)
    }))
})
