/** What a client is told of a transfer of any two families: by webhooks, in the history and on the request's page. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { verifyWebhook } from "../../../src/domain/webhook/VerifyWebhook.ts"
import { post } from "./Client.ts"
import { get } from "./Get.ts"
import { eventually } from "./Misbehaving.ts"
import { startReceiver } from "./Receiver.ts"

type Headers = Readonly<Record<string, string>>

/** A transaction of a request, as the history shows it. */
export const TransactionRow = Schema.Struct({
  hash: Schema.String,
  chainId: Schema.Int,
  block: Schema.NullOr(Schema.Int),
  timestamp: Schema.NullOr(Schema.Int),
  fee: Schema.NullOr(Schema.String)
})

const Listed = Schema.Struct({
  requests: Schema.Array(Schema.Struct({
    id: Schema.String,
    user: Schema.String,
    recipient: Schema.String,
    data: Schema.Struct({ inTxs: Schema.Array(TransactionRow), outTxs: Schema.Array(TransactionRow) })
  }))
})

const listed = Effect.fnUntraced(function*(url: string, query: string) {
  return (yield* Schema.decodeUnknownEffect(Listed)((yield* get(`${url}/requests?${query}`)).json())).requests
})

const Made = Schema.Struct({ secret: Schema.String })

/** Registers a webhook under the caller's key. Returns what it receives. */
export const startTold = Effect.fnUntraced(function*(url: string, key: Headers) {
  const receiver = yield* startReceiver()
  const made = yield* post(`${url}/webhooks`, { url: receiver.url }, key)
  assert.strictEqual(made.status, 200, made.text)
  const { secret } = yield* Schema.decodeUnknownEffect(Made)(made.json())
  return { receiver, secret, url }
})

type Told = Effect.Success<ReturnType<typeof startTold>>

/** Every change was sent in order and signed, the last one as the status is answered. Ends once success was told. */
const assertWebhooks = Effect.fnUntraced(function*({ receiver, secret, url }: Told, requestId: string) {
  const told = () => receiver.received.filter(({ json }) => json.id.startsWith(`${requestId}.`))
  yield* eventually(
    "success is told",
    Effect.sync(told),
    (all) => all.some(({ json }) => json.data["status"] === "success")
  )
  assert.deepStrictEqual(told().map(({ json }) => json.sequence), told().map((_, index) => index + 1))
  for (const { body, headers } of told()) {
    assert.deepStrictEqual(verifyWebhook({ body, headers, secrets: [secret], now: Date.now() }), { ok: true })
  }
  const status = yield* get(`${url}/intents/status?requestId=${requestId}`)
  assert.deepStrictEqual(told().at(-1)?.json.data, status.json())
})

/** What the history and the page say of the request, which its transaction's hash finds, too. */
export const assertTold = Effect.fnUntraced(
  function*(
    told: Told,
    { steps }: { readonly steps: ReadonlyArray<{ readonly requestId: string }> },
    side: "inTxs" | "outTxs",
    rowOf: (hash: string) => typeof TransactionRow.Type
  ) {
    const { url } = told
    const requestId = steps[0]?.requestId ?? ""
    yield* assertWebhooks(told, requestId)
    const [request] = yield* listed(url, `id=${requestId}`)
    if (request === undefined) return assert.fail("it is not in the history")
    assert.deepStrictEqual([request.data.inTxs.length, request.data.outTxs.length], [1, 1])
    const [row] = request.data[side]
    if (row === undefined) return assert.fail("it has no transaction")
    assert.deepStrictEqual(row, rowOf(row.hash))
    assert.deepStrictEqual((yield* listed(url, `txHash=${row.hash}`)).map(({ id }) => id), [requestId])
    const page = yield* get(`${url}/requests/${requestId}`, { headers: { accept: "text/html" } })
    // Ids are marked up in two pieces, so that a narrow screen can cut them.
    assert.include(page.text.replaceAll(/<[^>]*>/gu, ""), row.hash)
    return request
  }
)
