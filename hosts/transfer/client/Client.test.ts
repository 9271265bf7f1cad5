import { assert, describe, it } from "@effect/vitest"
import { createClient } from "./Client.ts"
import type { ClientOptions } from "./Client.ts"
import { ClientError } from "./ClientError.ts"
import type { Quote } from "./Execute.ts"
import type { IntentStatus } from "./Track.ts"
import type { Wallet } from "./Wallet.ts"

interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: unknown
}

type Answers = (asked: Asked) => Response | Promise<Response>

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

const requestId = `0x${"ab".repeat(32)}`

const status = (state: string): IntentStatus =>
  ({
    status: state,
    details: "",
    inTxHashes: [],
    txHashes: [],
    refunds: [],
    failReason: "N/A",
    refundFailReason: "N/A"
  }) as IntentStatus

const transaction = (id: string) => ({ id, action: "", description: "", requestId, kind: "transaction" })
const data = { psbt: "00" }
const check = { endpoint: `/intents/status?requestId=${requestId}`, method: "GET" }

const quote = {
  steps: [
    { ...transaction("approve"), items: [{ status: "incomplete", data }] },
    { ...transaction("deposit"), items: [{ status: "incomplete", data, check }] }
  ]
} as unknown as Quote

/** A service that answers like this, a client of it, and what it was asked. */
const clientOf = (answers: Answers, options: Partial<ClientOptions> = {}) => {
  const asked: Array<Asked> = []
  const reach: typeof fetch = async (input, init) => {
    const url = new URL(input)
    const each = {
      method: init?.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: new Headers(init?.headers),
      body: typeof init?.body === "string" ? JSON.parse(init.body) as unknown : undefined
    }
    asked.push(each)
    return await answers(each)
  }
  const client = createClient({
    url: "https://service.test/api/",
    verify: "trust the service",
    fetch: reach,
    ...options
  })
  return { client, asked }
}

const failureOf = async (act: () => Promise<unknown>): Promise<ClientError> => {
  try {
    await act()
  } catch (error) {
    if (error instanceof ClientError) return error
    throw error
  }
  throw new Error("nothing failed")
}

/** Answers a quote, and one state after the other. */
const serving = (states: ReadonlyArray<string>, stream = json({}, 404)): Answers => {
  const left = [...states]
  return ({ path }) => {
    if (path.startsWith("/api/quote")) return json(quote)
    if (path.startsWith("/api/intents/status/stream")) return stream.clone()
    return json(status((left.length > 1 ? left.shift() : left[0]) ?? "waiting"))
  }
}

const walletOf = (changes: Partial<Wallet> = {}) => {
  const sent: Array<unknown> = []
  const wallet: Wallet = {
    send: (each) => {
      sent.push(each)
      return Promise.resolve(`tx-${sent.length}`)
    },
    succeeded: () => Promise.resolve(),
    ...changes
  }
  return { wallet, sent }
}

const paid = async (client: ReturnType<typeof clientOf>["client"]) =>
  await client.getQuote({} as Parameters<typeof client.getQuote>[0])

const quickly = { pollEvery: 0 }

describe("a request", () => {
  it("fills in path, query, body, key and idempotency key", async () => {
    const { asked, client } = clientOf(() => json({}), { apiKey: "secret" })
    await client.call("GET /requests/:id", { params: { id: "a/b" } })
    await client.call("GET /intents/status", { query: { requestId } })
    await client.call("POST /permits" as "POST /execute/permits", {
      query: { signature: "0x1" },
      body: { kind: "permit2", requestId, api: "bridge" }
    } as never, { idempotencyKey: "once" })
    assert.deepStrictEqual(asked.map(({ method, path }) => `${method} ${path}`), [
      "GET /api/requests/a%2Fb",
      `GET /api/intents/status?requestId=${requestId}`,
      "POST /api/permits?signature=0x1"
    ])
    assert.deepStrictEqual(asked[2]?.body, { kind: "permit2", requestId, api: "bridge" })
    assert.strictEqual(asked[2]?.headers.get("idempotency-key"), "once")
    assert.strictEqual(asked[0]?.headers.get("x-api-key"), "secret")
  })

  it("tells what the service refuses, what it cannot answer now, and what is no answer of it", async () => {
    const refused = json({ message: "no", errorCode: "NO_SWAP_ROUTES_FOUND", errorData: "amount", requestId }, 400)
    const busy = json({ message: "later" }, 429, { "retry-after": "7" })
    const foreign = new Response("<html>", { status: 502 })
    const found = await Promise.all([refused, busy, foreign, json([], 200), new Response("no json")].map((answer) => {
      const { client } = clientOf(() => answer)
      return client.call("GET /chains", {}).then(() => undefined, (error: unknown) => error)
    }))
    const [first, second, third, fourth, fifth] = found.map((error) => error instanceof ClientError ? error : undefined)
    assert.deepStrictEqual([first?.kind, first?.code, first?.field, first?.requestId, first?.status], [
      "refused",
      "NO_SWAP_ROUTES_FOUND",
      "amount",
      requestId,
      400
    ])
    assert.deepStrictEqual([second?.kind, second?.retryAfterSeconds], ["unavailable", 7])
    assert.deepStrictEqual([third?.kind, third?.status], ["unreachable", 502])
    // An array is an answer, such as that of GET /currencies.
    assert.isUndefined(fourth)
    assert.strictEqual(fifth?.kind, "unreachable")
    const { client } = clientOf(() => Promise.reject(new Error("refused")))
    assert.strictEqual((await failureOf(() => client.call("GET /chains", {}))).kind, "unreachable")
  })

  it("is of the API's definition, or does not compile", () => {
    const { client } = clientOf(() => json({}))
    const wrong = () => [
      // @ts-expect-error: there is no such operation
      client.call("GET /nothing", {}),
      // @ts-expect-error: requestId is missing
      client.call("GET /intents/status", {}),
      // @ts-expect-error: an amount travels as text
      client.getQuote({ amount: 1n })
    ]
    assert.isFunction(wrong)
  })

  it("keeps an abort the caller's own", async () => {
    const { client } = clientOf(() => Promise.reject(new Error("aborted by fetch")))
    const reason = new Error("mine")
    try {
      await client.call("GET /chains", {}, { signal: AbortSignal.abort(reason) })
      assert.fail("nothing failed")
    } catch (error) {
      assert.strictEqual(error, reason)
    }
  })
})

describe("a quote", () => {
  it("is asked for with its protocol's data, and is not given out when it is not found good", async () => {
    const { asked, client } = clientOf(serving(["waiting"]), {
      verify: (_, request) =>
        Promise.reject(new ClientError({ kind: "unverified", message: `for ${JSON.stringify(request)}` }))
    })
    const failure = await failureOf(() => paid(client))
    assert.strictEqual(failure.kind, "unverified")
    assert.deepStrictEqual(asked[0]?.body, { includeProtocolData: true })
  })

  it("is verified again before it is paid", async () => {
    let times = 0
    const { client } = clientOf(serving(["waiting"]), {
      verify: () => {
        times += 1
        return times === 1
          ? Promise.resolve()
          : Promise.reject(new ClientError({ kind: "unverified", message: "late" }))
      }
    })
    const { sent, wallet } = walletOf()
    const got = await paid(client)
    assert.strictEqual((await failureOf(() => client.execute(got, wallet))).kind, "unverified")
    assert.strictEqual(sent.length, 0)
  })

  it("is paid once, and only when getQuote gave it", async () => {
    const { client } = clientOf(serving(["waiting", "pending", "success"]))
    const { sent, wallet } = walletOf()
    const got = await paid(client)
    assert.strictEqual((await client.execute(got, wallet, quickly)).status, "success")
    for (const each of [got, structuredClone(got)]) {
      assert.strictEqual((await failureOf(() => client.execute(each, wallet, quickly))).kind, "unverified")
    }
    assert.strictEqual(sent.length, 2)
  })

  it("is not paid when its request has a deposit", async () => {
    const { client } = clientOf(serving(["pending"]))
    const { sent, wallet } = walletOf()
    const got = await paid(client)
    assert.strictEqual((await failureOf(() => client.execute(got, wallet))).kind, "paid")
    assert.strictEqual(sent.length, 0)
  })

  it("waits for an approval before it deposits", async () => {
    const { client } = clientOf(serving(["waiting", "success"]))
    const { sent, wallet } = walletOf({
      succeeded: (id) => id === "tx-1" ? Promise.reject(new Error("reverted")) : Promise.resolve()
    })
    const got = await paid(client)
    const failure = await failureOf(() => client.execute(got, wallet, quickly))
    assert.strictEqual(failure.kind, "wallet")
    assert.strictEqual(sent.length, 1)
  })

  it("ends when the deposit fails on its chain, although the service waits for it", async () => {
    const { client } = clientOf(serving(["waiting"]))
    const { sent, wallet } = walletOf({
      succeeded: (id) => id === "tx-2" ? Promise.reject(new Error("reverted")) : Promise.resolve()
    })
    const got = await paid(client)
    const failure = await failureOf(() => client.execute(got, wallet, quickly))
    assert.deepStrictEqual([failure.kind, failure.message], ["wallet", "tx-2: reverted"])
    assert.strictEqual(sent.length, 2)
  })

  it("never has a signature posted to another host", async () => {
    const signing = (endpoint: string) => ({
      steps: [{
        ...transaction("authorize1"),
        kind: "signature",
        items: [{
          status: "incomplete",
          data: { sign: { signatureKind: "eip191", message: "a" }, post: { endpoint, method: "POST", body: {} } },
          check
        }]
      }]
    })
    for (const endpoint of ["//evil.test/x", "https://evil.test", "@evil.test/x", ""]) {
      const { asked, client } = clientOf(({ path }) =>
        json(path.startsWith("/api/quote") ? signing(endpoint) : status("waiting"))
      )
      const { wallet } = walletOf({ sign: () => Promise.resolve("0x01") })
      const got = await paid(client)
      assert.strictEqual((await failureOf(() => client.execute(got, wallet))).kind, "unverified")
      assert.strictEqual(asked.length, 2)
    }
  })
})

describe("a request's states", () => {
  const collected = async (states: AsyncIterable<IntentStatus>) => {
    const all: Array<string> = []
    for await (const each of states) all.push(each.status)
    return all
  }

  const stream = (...chunks: ReadonlyArray<string>) =>
    new Response(new Blob(chunks.map((chunk) => chunk)).stream(), { headers: { "content-type": "text/event-stream" } })

  const event = (state: string) => `event: status\nid: 1\ndata: ${JSON.stringify(status(state))}\n\n`

  it("come from the stream, however its bytes are cut", async () => {
    const text = `${event("waiting")}: still here\n\n${event("pending")}${event("success")}`
    for (let at = 1; at < text.length; at += 7) {
      const { asked, client } = clientOf(serving([], stream(text.slice(0, at), text.slice(at))))
      assert.deepStrictEqual(await collected(client.track(requestId)), ["waiting", "pending", "success"])
      assert.strictEqual(asked.length, 1)
    }
  })

  it("go on by polls where a stream breaks, and no state comes twice", async () => {
    const { client } = clientOf(
      serving(["pending", "pending", "submitted", "refund"], stream(event("waiting"), event("pending")))
    )
    assert.deepStrictEqual(await collected(client.track(requestId, quickly)), [
      "waiting",
      "pending",
      "submitted",
      "refund"
    ])
  })

  it("live through a service that is away, as long as they are told to", async () => {
    let asked = 0
    const { client } = clientOf(() => {
      asked += 1
      return asked < 5 ? json({ message: "down" }, 503) : json(status("success"))
    })
    assert.deepStrictEqual(await collected(client.track(requestId, quickly)), ["success"])
    const away = clientOf(() => json({ message: "down" }, 503)).client
    assert.strictEqual(
      (await failureOf(() => collected(away.track(requestId, { ...quickly, patience: 3 })))).kind,
      "unavailable"
    )
  })

  it("end where the service refuses the id, and at an abort", async () => {
    const { client } = clientOf(() => json({ message: "no id" }, 400))
    assert.strictEqual((await failureOf(() => collected(client.track("x", quickly)))).kind, "refused")
    const controller = new AbortController()
    const waiting = clientOf(serving(["waiting"])).client.track(requestId, {
      signal: controller.signal,
      pollEvery: 60_000
    })
    assert.strictEqual((await waiting.next()).value?.status, "waiting")
    const next = waiting.next().then(() => "a state", () => "aborted")
    controller.abort()
    assert.strictEqual(await next, "aborted")
  })
})
