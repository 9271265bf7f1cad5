/** GET /requests with a key, and its summary, on a real host: pages, filters, refusals, and no other key's requests. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { ended, nativeRequest, post, QuoteAnswer, sendDeposit } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

class Running extends fixtureOf<Running>()("test/History", startFixture(startNetwork, { keys: ["alice", "bob"] })) {}

const Listing = Schema.Struct({
  requests: Schema.Array(Schema.Struct({ id: Schema.String, status: Schema.String, user: Schema.String })),
  continuation: Schema.optionalKey(Schema.String)
})

const Totals = {
  requests: Schema.Int,
  sponsoredRequests: Schema.Int,
  sponsoredTotal: Schema.String,
  byStatus: Schema.Record(Schema.String, Schema.Int)
}
const Summary = Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  total: Schema.Struct(Totals),
  periods: Schema.Array(Schema.Struct({ period: Schema.String, ...Totals }))
})

const Referred = Schema.Struct({
  requests: Schema.Array(
    Schema.Struct({ referrer: Schema.NullOr(Schema.String), referrerAddress: Schema.NullOr(Schema.String) })
  )
})

layer(Running.layer, { excludeTestServices: true })("the history of a key", (it) => {
  const ask = Effect.fnUntraced(function*(query: string, key?: string) {
    const { url } = yield* Running
    return yield* get(`${url}/requests${query}`, key === undefined ? {} : { headers: { "x-api-key": key } })
  })
  const list = Effect.fnUntraced(function*(query: string, key: string = "alice") {
    const answer = yield* ask(query, key)
    assert.strictEqual(answer.status, 200, answer.text)
    return Schema.decodeUnknownSync(Listing)(answer.json())
  })
  const quoted = Effect.fnUntraced(function*(key: string | undefined, index: number) {
    const { chains, url } = yield* Running
    const user = privateKeyToAccount(chains.users[index] ?? "0x").address
    const answer = yield* post(
      `${url}/quote`,
      nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1")),
      key === undefined ? {} : { "x-api-key": key }
    )
    return Schema.decodeUnknownSync(QuoteAnswer)(answer.json())
  })

  /** The referrer in the history of a request without a key, with these changes. */
  const referrerOf = Effect.fnUntraced(function*(changes: object) {
    const { chains, url } = yield* Running
    const user = privateKeyToAccount(chains.users[0] ?? "0x").address
    const { json } = yield* post(
      `${url}/quote`,
      nativeRequest(user, chains.alpha, chains.beta, parseEther("0.1"), changes)
    )
    const row = yield* ask(`?id=${Schema.decodeUnknownSync(QuoteAnswer)(json()).steps[0]?.requestId}`)
    return Schema.decodeUnknownSync(Referred)(row.json()).requests[0]
  })

  it.effect("is listed page by page, filtered, and summed up; a continuation is valid for its own listing only", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const mine = yield* Effect.forEach([0, 0, 1, 1, 1], (index) => quoted("alice", index))
      const ids = mine.map(({ steps }) => steps[0]?.requestId ?? "")
      const theirs = yield* quoted("bob", 0)
      yield* quoted(undefined, 0)
      const first = yield* list("?limit=2")
      assert.deepStrictEqual(first.requests.map(({ id }) => id), [ids[4], ids[3]])
      const { continuation = "" } = first
      yield* quoted("alice", 2)
      const second = yield* list(`?limit=2&continuation=${continuation}`)
      assert.deepStrictEqual(second.requests.map(({ id }) => id), [ids[2], ids[1]])
      const third = yield* list(`?limit=2&continuation=${second.continuation ?? ""}`)
      assert.deepStrictEqual(third, { requests: third.requests })
      assert.deepStrictEqual(third.requests.map(({ id }) => id), [ids[0]])

      const user = privateKeyToAccount(chains.users[0] ?? "0x").address
      const ofUser = yield* list(`?user=${user}`)
      assert.deepStrictEqual(ofUser.requests.map(({ id }) => id), [ids[1], ids[0]], "in any spelling, and bob's not")
      yield* sendDeposit(chains.alpha, chains.users[0] ?? "0x", mine[0] ?? assert.fail("no quote"))
      yield* ended(url, mine[0] ?? assert.fail("no quote"))
      assert.deepStrictEqual((yield* list("?status=success")).requests.map(({ id }) => id), [ids[0]])
      assert.deepStrictEqual((yield* list("?sponsored=true")).requests, [])
      assert.strictEqual((yield* list("?sponsored=false")).requests.length, 6)
      assert.deepStrictEqual((yield* list("", "bob")).requests.map(({ id }) => id), [theirs.steps[0]?.requestId ?? ""])

      const changed = `${continuation.startsWith("A") ? "B" : "A"}${continuation.slice(1)}`
      for (
        const [query, key] of [
          [`?continuation=${changed}`, "alice"],
          [`?continuation=${continuation}x`, "alice"],
          [`?continuation=${continuation}`, "bob"],
          [`?status=success&continuation=${continuation}`, "alice"],
          ["?limit=51", "alice"],
          ["?limit=0", "alice"],
          ["?limit=x", "alice"],
          ["?status=done", "alice"],
          ["?user=nobody", "alice"],
          ["?sponsored=yes", "alice"],
          [`?id=${ids[0]}&status=success`, "alice"],
          [`?id=${ids[0]}&orderId=${ids[0]}`, "alice"],
          ["/summary?from=2026-02-30", "alice"],
          ["/summary?from=2026-02-02&to=2026-02-01", "alice"],
          ["/summary?period=week", "alice"],
          ["/summary?from=2020-01-01&to=2026-01-01", "alice"],
          ["/summary?from=2020-01-01&to=2026-01-01&period=month", "alice"]
        ] as const
      ) {
        const answer = yield* ask(query, key)
        assert.strictEqual(answer.status, 400, `${query}: ${answer.text}`)
      }
      for (const query of ["", "?limit=1", `?user=${user}`, "/summary", `?continuation=${continuation}`]) {
        assert.strictEqual((yield* ask(query)).status, 401, query)
        assert.strictEqual((yield* ask(query, "nobody's")).status, 401, query)
      }
      assert.deepStrictEqual((yield* ask(`?depositAddress=${user}`)).json(), { requests: [] })
      const single = yield* ask(`?id=${ids[0]}&limit=1`)
      assert.deepStrictEqual(Schema.decodeUnknownSync(Listing)(single.json()).requests.map(({ id }) => id), [ids[0]])
      const [plain, referred] = [
        yield* referrerOf({}),
        yield* referrerOf({ referrer: "a shop", referrerAddress: user })
      ]
      assert.deepStrictEqual([plain, referred], [{ referrer: null, referrerAddress: null }, {
        referrer: "a shop",
        referrerAddress: user
      }])

      for (const [query, length] of [["", 10], ["?period=month", 7]] as const) {
        const summary = Schema.decodeUnknownSync(Summary)((yield* ask(`/summary${query}`, "alice")).json())
        assert.deepStrictEqual([
          summary.total.requests,
          summary.total.byStatus["success"],
          summary.total.byStatus["waiting"]
        ], [6, 1, 5])
        assert.strictEqual(summary.total.sponsoredTotal, "0")
        assert.strictEqual(summary.periods.reduce((sum, { requests }) => sum + requests, 0), 6)
        assert.isTrue(summary.periods.every(({ period }) => period.length === length))
      }
      const past = Schema.decodeUnknownSync(Summary)(
        (yield* ask("/summary?from=2020-01-01&to=2020-12-31", "alice")).json()
      )
      assert.deepStrictEqual([past.from, past.to, past.total.requests, past.periods.length], [
        "2020-01-01",
        "2020-12-31",
        0,
        0
      ])
    }))
})
