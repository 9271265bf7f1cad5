/** The operator's keys over HTTP: made, shown once, rotated with an overlap, revoked at once. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { readFileSync } from "node:fs"
import { privateKeyToAccount } from "viem/accounts"
import { nativeRequest, post } from "./testing/Client.ts"
import { get } from "./testing/Get.ts"
import { startNetwork } from "./testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

const makeRunning = Effect.gen(function*() {
  const network = yield* startNetwork
  const host = yield* network.startHost({ ADMIN_TOKEN })
  const { chains } = network
  const request = nativeRequest(privateKeyToAccount(chains.users[0] ?? "0x").address, chains.alpha, chains.beta, 10n ** 17n)
  const quoteUnder = (key: string) => post(`${host.url}/quote`, request, { "x-api-key": key })
  return { ...network, host, url: host.url, quoteUnder }
})

class Running extends Context.Service<Running, Effect.Success<typeof makeRunning>>()("test/Keys") {
  static readonly layer = Layer.effect(Running, makeRunning)
}

const NewKey = Schema.Struct({ id: Schema.String, key: Schema.String.check(Schema.isPattern(/^cwk_[A-Za-z0-9_-]{43}$/)), label: Schema.String })
const Rotated = Schema.Struct({ id: Schema.String, key: Schema.String, previousUntil: Schema.String })
const Listed = Schema.Struct({
  keys: Schema.Array(Schema.Struct({
    id: Schema.String,
    label: Schema.String,
    wallet: Schema.Null,
    createdAt: Schema.String,
    revokedAt: Schema.NullOr(Schema.String),
    rotatingUntil: Schema.NullOr(Schema.String)
  }))
})

layer(Running.layer, { timeout: 120_000, excludeTestServices: true })("keys of the operator", (it) => {
  const create = Effect.fnUntraced(function*(label: string, headers: Readonly<Record<string, string>> = {}) {
    const { url } = yield* Running
    const answer = yield* post(`${url}/api-keys`, { label }, { ...admin, ...headers })
    assert.strictEqual(answer.status, 200, answer.text)
    return Schema.decodeUnknownSync(NewKey)(answer.json())
  })
  const rotate = Effect.fnUntraced(function*(id: string, body: object) {
    const { url } = yield* Running
    const answer = yield* post(`${url}/api-keys/${id}/rotate`, body, admin)
    assert.strictEqual(answer.status, 200, answer.text)
    return Schema.decodeUnknownSync(Rotated)(answer.json())
  })
  const list = Effect.gen(function*() {
    const { url } = yield* Running
    const answer = yield* get(`${url}/api-keys`, { headers: admin })
    assert.strictEqual(answer.status, 200, answer.text)
    return { text: answer.text, ...Schema.decodeUnknownSync(Listed)(answer.json()) }
  })

  it.effect("makes a key that works, shows it once, and keeps nothing of its text", () =>
    Effect.gen(function*() {
      const { environment, host, quoteUnder } = yield* Running
      const made = yield* create("my app")
      assert.strictEqual(made.label, "my app")
      assert.strictEqual((yield* quoteUnder(made.key)).status, 200)
      const { keys, text } = yield* list
      assert.strictEqual(keys.find(({ id }) => id === made.id)?.label, "my app")
      assert.notInclude(text, made.key.slice(4))
      assert.notInclude(host.output(), made.key.slice(4))
      const store = (environment["DATABASE_URL"] ?? "").replace("sqlite:", "")
      for (const file of [store, `${store}-wal`]) assert.isFalse(readFileSync(file).includes(made.key.slice(4)), file)
    }))

  it.effect("makes a new key each time, whatever Idempotency-Key comes with it: an answer with a secret is not stored", () =>
    Effect.gen(function*() {
      const one = yield* create("same", { "idempotency-key": "same" })
      const other = yield* create("same", { "idempotency-key": "same" })
      assert.notStrictEqual(one.key, other.key)
      assert.notStrictEqual(one.id, other.id)
    }))

  it.effect("rotates: both texts until the overlap ends, the old one at once without one", () =>
    Effect.gen(function*() {
      const { quoteUnder } = yield* Running
      const { id, key } = yield* create("rotating")
      const second = yield* rotate(id, { overlapSeconds: 2 })
      assert.isAbove(Date.parse(second.previousUntil), Date.now())
      assert.deepStrictEqual([(yield* quoteUnder(key)).status, (yield* quoteUnder(second.key)).status], [200, 200])
      yield* Effect.sleep(Math.max(0, Date.parse(second.previousUntil) - Date.now()))
      assert.deepStrictEqual([(yield* quoteUnder(key)).status, (yield* quoteUnder(second.key)).status], [401, 200])
      const third = yield* rotate(id, { overlapSeconds: 0 })
      assert.deepStrictEqual([(yield* quoteUnder(second.key)).status, (yield* quoteUnder(third.key)).status], [401, 200])
      const byDefault = yield* rotate(id, {})
      assert.approximately(Date.parse(byDefault.previousUntil) - Date.now(), 24 * 3600 * 1000, 60_000)
    }))

  it.effect("revokes at once, both texts, once; a revoked key is not rotated", () =>
    Effect.gen(function*() {
      const { quoteUnder, url } = yield* Running
      const { id, key } = yield* create("leaked")
      const second = yield* rotate(id, { overlapSeconds: 60 })
      const revoke = get(`${url}/api-keys/${id}`, { method: "DELETE", headers: admin })
      const revoked = yield* revoke
      assert.strictEqual(revoked.status, 200, revoked.text)
      for (const text of [key, second.key]) {
        const refused = yield* quoteUnder(text)
        assert.strictEqual(refused.status, 401)
        assert.include(refused.text, "UNAUTHORIZED")
      }
      assert.strictEqual((yield* revoke).text, revoked.text)
      assert.strictEqual((yield* post(`${url}/api-keys/${id}/rotate`, {}, admin)).status, 404)
      assert.isNotNull((yield* list).keys.find((each) => each.id === id)?.revokedAt)
    }))

  it.effect("answers nobody without the token, and refuses what is no label, no overlap and no key", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      for (const headers of [{}, { authorization: "Bearer wrong" }, { "x-api-key": ADMIN_TOKEN }]) {
        assert.strictEqual((yield* post(`${url}/api-keys`, { label: "x" }, headers)).status, 401)
        assert.strictEqual((yield* get(`${url}/api-keys`, { headers })).status, 401)
        assert.strictEqual((yield* get(`${url}/api-keys/key_1`, { method: "DELETE", headers })).status, 401)
      }
      for (const label of ["", "a".repeat(101), "two\nlines", "\u001b[2J", 1, undefined]) {
        const refused = yield* post(`${url}/api-keys`, { label }, admin)
        assert.strictEqual(refused.status, 400, `${label}`)
        assert.include(refused.text, "label")
      }
      const { id } = yield* create("overlaps")
      for (const overlapSeconds of [-1, 1.5, 30 * 24 * 3600 + 1, "60"]) {
        assert.strictEqual((yield* post(`${url}/api-keys/${id}/rotate`, { overlapSeconds }, admin)).status, 400)
      }
      for (const unknown of ["key_0000000000000000", "..%2f", "%00"]) {
        assert.include([400, 404], (yield* get(`${url}/api-keys/${unknown}`, { method: "DELETE", headers: admin })).status)
      }
    }))

})
