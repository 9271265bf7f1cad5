/** The dashboard's sessions and what each may do, over HTTP; and what strangers, other pages and other wallets try. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { grantedRoutes } from "../../dashboard/Grants.ts"
import { routesOf } from "../../../http/Routes.ts"
import { TransferApi } from "../../endpoints/TransferApi.ts"
import { rowsBeside } from "../../testing/BesideStore.ts"
import {
  ask,
  askAs,
  challengeOf,
  headersOf,
  sessionOf,
  signInOperator,
  signInWallet
} from "../../testing/DashboardClient.ts"
import type { DashboardSession } from "../../testing/DashboardClient.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { keyAt } from "../../testing/TestChains.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import type { Network } from "../../testing/TransferNetwork.ts"
import { addSponsors } from "../../testing/Sponsor.ts"

type Heads = Readonly<Record<string, string>>

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

const accountOf = ({ chains }: Pick<Network, "chains">, index: number) => privateKeyToAccount(keyAt(chains, index))

class Running extends fixtureOf<Running>()(
  "test/Dashboard",
  startFixture(
    Effect.tap(startNetwork, (network) =>
      addSponsors(network.store, [
        { id: "paying", wallet: accountOf(network, 0).address.toLowerCase(), balance: 5_000_000n },
        { id: "other", wallet: accountOf(network, 1).address.toLowerCase(), balance: 5_000_000n }
      ])),
    { settings: { ADMIN_TOKEN } }
  )
) {}

const NewKey = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String, key: Schema.String }))
const Keys = Schema.decodeUnknownSync(
  Schema.Struct({
    keys: Schema.Array(
      Schema.Struct({ id: Schema.String, role: Schema.String, wallet: Schema.NullOr(Schema.String) })
    )
  })
)
const Refusal = Schema.decodeUnknownSync(Schema.Struct({ errorCode: Schema.String }))

layer(Running.layer, { excludeTestServices: true })("the dashboard's sessions", (it) => {
  const walletSession = (index: number) =>
    Effect.flatMap(Running, (running) => signInWallet(running.url, accountOf(running, index)))
  const statusOf = Effect.fnUntraced(
    function*(session: DashboardSession, method: string, path: string, body?: unknown, headers: Heads = {}) {
      const { url } = yield* Running
      return (yield* askAs(url, session, method, path, body, headers)).status
    }
  )
  const newKey = Effect.fnUntraced(function*(session: DashboardSession) {
    const { url } = yield* Running
    const made = yield* askAs(url, session, "POST", "/dashboard/keys", { label: "an app" })
    assert.strictEqual(made.status, 200, made.text)
    return NewKey(made.json())
  })

  it.effect("an operator's session stands in for the admin token, which no answer holds, until it is ended", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const answer = yield* ask(url, "POST", "/dashboard/session/operator", { token: ADMIN_TOKEN })
      assert.strictEqual(answer.status, 200)
      const cookie = answer.headers.get("set-cookie") ?? ""
      assert.match(cookie, /^causeway-dashboard=cwo_[\w-]{43}; /u)
      for (const part of ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=28800"]) assert.include(cookie, part)
      assert.notInclude(answer.text + cookie, ADMIN_TOKEN)
      const session = sessionOf(answer)
      assert.strictEqual(yield* statusOf(session, "GET", "/dashboard/api/admin/overview"), 200)
      assert.strictEqual(yield* statusOf(session, "GET", "/dashboard/api/api-keys"), 200)
      const pause = { kind: "chain", chainId: 616101 }
      const paused = yield* askAs(url, session, "POST", "/dashboard/api/admin/pauses", pause)
      assert.strictEqual(paused.status, 200, paused.text)
      const { id } = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))(paused.json())
      assert.strictEqual(
        yield* statusOf(session, "DELETE", `/dashboard/api/admin/pauses/${encodeURIComponent(id)}`),
        200
      )
      // Outside of the dashboard the cookie means nothing.
      assert.strictEqual(yield* statusOf(session, "GET", "/admin/overview"), 401)
      assert.strictEqual(yield* statusOf(session, "POST", "/dashboard/session/end", {}), 200)
      assert.strictEqual(yield* statusOf(session, "GET", "/dashboard/api/admin/overview"), 401)
    }))

  it.effect("a host that is not this machine gets a cookie for https and this host alone", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      // fetch does not let a program choose its Host.
      const { request } = yield* Effect.promise(() => import("node:http"))
      const cookie = yield* Effect.callback<string>((resume) => {
        const sent = request(`${url}/dashboard/session/operator`, {
          method: "POST",
          headers: { host: "transfers.example", "content-type": "application/json" }
        }, (response) => {
          response.resume()
          resume(Effect.succeed(String(response.headers["set-cookie"])))
        })
        sent.end(JSON.stringify({ token: ADMIN_TOKEN }))
      })
      assert.match(cookie, /^__Host-causeway-dashboard=cwo_/u)
      for (const part of ["Secure", "HttpOnly", "SameSite=Strict", "Path=/"]) assert.include(cookie, part)
      assert.notInclude(cookie, "Domain")
    }))

  it.effect("a change needs the session's own token, and no page of another origin is answered", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const [session, other] = [yield* signInOperator(url, ADMIN_TOKEN), yield* walletSession(0)]
      const pause = { kind: "chain", chainId: 616102 }
      const tries: ReadonlyArray<Heads> = [
        { cookie: session.cookie },
        { cookie: session.cookie, "x-dashboard-csrf": "" },
        { cookie: session.cookie, "x-dashboard-csrf": other.csrf },
        { ...headersOf(session), origin: "https://elsewhere.example" },
        { ...headersOf(session), origin: "null" },
        { ...headersOf(session), "sec-fetch-site": "cross-site" },
        { ...headersOf(session), "sec-fetch-site": "same-site" }
      ]
      for (const headers of tries) {
        const refused = yield* ask(url, "POST", "/dashboard/api/admin/pauses", pause, headers)
        assert.strictEqual(refused.status, 403, JSON.stringify(headers))
      }
      assert.strictEqual(
        (yield* ask(url, "POST", "/dashboard/session/end", {}, { cookie: session.cookie })).status,
        403
      )
      const listed = yield* ask(url, "GET", "/admin/pauses", undefined, admin)
      assert.deepStrictEqual(listed.json(), { pauses: [] })
      // Nobody is signed in from elsewhere, and a preflight allows nothing.
      const elsewhere = { origin: "https://elsewhere.example" }
      assert.strictEqual(
        (yield* ask(url, "POST", "/dashboard/session/operator", { token: ADMIN_TOKEN }, elsewhere)).status,
        403
      )
      const preflight = yield* ask(url, "OPTIONS", "/dashboard/session/operator", undefined, {
        ...elsewhere,
        "access-control-request-method": "POST"
      })
      assert.isNull(preflight.headers.get("access-control-allow-origin"))
      const own = { ...headersOf(session), origin: url, "sec-fetch-site": "same-origin" }
      assert.strictEqual((yield* ask(url, "GET", "/dashboard/api/admin/pauses", undefined, own)).status, 200)
    }))

  it.effect("the admin token cannot be tried more than ten times a minute", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const tries = yield* Effect.forEach(
        Array.from({ length: 24 }, (_, n) => `wrong token number ${n}, which is as long as any`),
        (token) => Effect.map(ask(url, "POST", "/dashboard/session/operator", { token }), ({ status }) => status)
      )
      assert.include(tries, 429)
      assert.isTrue(tries.every((status) => status === 401 || status === 429))
    }))

  it.effect("a wallet signs in by one message, once, for this site and purpose", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { url } = running
      const [account, stranger] = [accountOf(running, 0), accountOf(running, 2)]
      const message = yield* challengeOf(url, account.address)
      assert.include(message, "Sign in to the dashboard. This allows nobody to spend anything.")
      const send = (text: string, by: typeof account) =>
        Effect.flatMap(
          Effect.promise(() => by.signMessage({ message: text })),
          (signature) => ask(url, "POST", "/dashboard/session/wallet", { message: text, signature })
        )
      const reasonOf = (answer: { readonly json: () => unknown }) => Refusal(answer.json()).errorCode
      assert.strictEqual(reasonOf(yield* send(message, stranger)), "WRONG_SIGNATURE")
      const foreign = message.replace("127.0.0.1", "127.0.0.2")
      assert.strictEqual(reasonOf(yield* send(foreign, account)), "WRONG_DOMAIN")
      assert.strictEqual((yield* send(message, account)).status, 200)
      assert.strictEqual(reasonOf(yield* send(message, account)), "NONCE_USED")
      // A message to link or to unlink signs nobody in.
      const unlink = yield* ask(url, "POST", "/api-keys/wallets/challenge", {
        wallet: account.address,
        action: "unlink"
      })
      const other = Schema.decodeUnknownSync(Schema.Struct({ message: Schema.String }))(unlink.json()).message
      assert.strictEqual(reasonOf(yield* send(other, account)), "WRONG_PURPOSE")
    }))

  it.effect("an owner makes, rotates, limits, links and revokes keys; nobody else's session can", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { url } = running
      const account = accountOf(running, 0)
      const [owner, other] = [yield* walletSession(0), yield* walletSession(1)]
      const made = yield* newKey(owner)
      const key = { "x-dashboard-key": made.id }
      const budget = { perDay: "1000000" }
      const attempts = [
        ["GET", "/dashboard/api/requests", undefined, key],
        ["POST", "/dashboard/api/webhooks", { url: "https://app.example/hook" }, key],
        ["GET", "/dashboard/api/webhooks/deliveries", undefined, key],
        ["POST", "/dashboard/api/api-keys/wallets/challenge", { wallet: account.address }, key],
        ["PUT", `/dashboard/api/api-keys/${made.id}/budgets`, budget, {}],
        ["POST", `/dashboard/api/api-keys/${made.id}/rotate`, {}, {}],
        ["DELETE", "/dashboard/api/api-keys/wallets", undefined, key],
        ["DELETE", `/dashboard/api/api-keys/${made.id}`, undefined, {}]
      ] as const
      for (const [method, path, body, headers] of attempts) {
        assert.strictEqual(yield* statusOf(other, method, path, body, headers), 403, `${method} ${path}`)
      }
      // The other's cookie with another key's id in the path and its own in the header.
      const theirs = yield* newKey(other)
      assert.strictEqual(
        yield* statusOf(other, "POST", `/dashboard/api/api-keys/${made.id}/rotate`, {}, {
          "x-dashboard-key": theirs.id
        }),
        403
      )
      // An operator's routes are not a wallet's, in any spelling.
      for (
        const path of [
          "/dashboard/api/admin/overview",
          "/dashboard/api/api-keys",
          "/dashboard/api/webhooks/../admin/overview",
          "/dashboard/api/%61dmin/overview",
          "/dashboard/api//admin/overview",
          "/dashboard//api/./admin/overview"
        ]
      ) assert.strictEqual(yield* statusOf(owner, "GET", path, undefined, key), 403, path)
      // The owner: everything.
      const asked = yield* askAs(
        url,
        owner,
        "POST",
        "/dashboard/api/api-keys/wallets/challenge",
        { wallet: account.address },
        key
      )
      const { message } = Schema.decodeUnknownSync(Schema.Struct({ message: Schema.String }))(asked.json())
      const signature = yield* Effect.promise(() => account.signMessage({ message }))
      assert.strictEqual(
        yield* statusOf(owner, "POST", "/dashboard/api/api-keys/wallets", { message, signature }, key),
        200
      )
      const listed = Keys((yield* askAs(url, owner, "GET", "/dashboard/keys")).json()).keys
      assert.deepInclude(listed, { id: made.id, role: "owner", wallet: account.address.toLowerCase() })
      assert.strictEqual(yield* statusOf(owner, "PUT", `/dashboard/api/api-keys/${made.id}/budgets`, budget), 200)
      const rotated = yield* askAs(url, owner, "POST", `/dashboard/api/api-keys/${made.id}/rotate`, {
        overlapSeconds: 0
      })
      assert.strictEqual(rotated.status, 200)
      assert.strictEqual(rotated.headers.get("cache-control"), "no-store")
      const texts = [made.key, NewKey(rotated.json()).key]
      const works = yield* Effect.forEach(
        texts,
        (text) => Effect.map(ask(url, "GET", "/requests", undefined, { "x-api-key": text }), ({ status }) => status)
      )
      assert.deepStrictEqual(works, [401, 200])
      assert.strictEqual(yield* statusOf(owner, "DELETE", `/dashboard/api/api-keys/${made.id}`), 200)
      assert.strictEqual(yield* statusOf(owner, "GET", "/dashboard/api/requests", undefined, key), 403)
    }))

  it.effect("a wallet that a key is merely linked to can stop paying for it, and nothing else", () =>
    Effect.gen(function*() {
      const payer = yield* walletSession(1)
      const key = { "x-dashboard-key": "other" }
      assert.strictEqual(yield* statusOf(payer, "POST", "/dashboard/api/api-keys/other/rotate", {}), 403)
      assert.strictEqual(yield* statusOf(payer, "GET", "/dashboard/api/webhooks", undefined, key), 403)
      assert.strictEqual(yield* statusOf(payer, "DELETE", "/dashboard/api/api-keys/wallets", undefined, key), 200)
      assert.strictEqual(yield* statusOf(payer, "DELETE", "/dashboard/api/api-keys/wallets", undefined, key), 403)
    }))

  it.effect("a wallet that owns nothing sees nothing, and makes no key before it has paid in", () =>
    Effect.gen(function*() {
      const running = yield* Running
      const { url } = running
      const poor = yield* walletSession(3)
      assert.deepStrictEqual(Keys((yield* askAs(url, poor, "GET", "/dashboard/keys")).json()).keys, [])
      const refused = yield* askAs(url, poor, "POST", "/dashboard/keys", { label: "free" })
      assert.strictEqual(refused.status, 400)
      assert.include(refused.text, "pay in at least 1 USDC")
      const own = accountOf(running, 3).address
      const rich = accountOf(running, 0).address
      assert.strictEqual(yield* statusOf(poor, "GET", `/dashboard/api/app-fees/${own}/statement`), 200)
      assert.strictEqual(yield* statusOf(poor, "GET", `/dashboard/api/app-fees/${rich}/statement`), 403)
    }))

  it.effect("a session that somebody planted is none, and signing in ends the one before", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const planted = { cookie: `causeway-dashboard=cwo_${"A".repeat(43)}`, csrf: "" }
      assert.strictEqual(yield* statusOf(planted, "GET", "/dashboard/api/admin/overview"), 401)
      const first = yield* walletSession(0)
      const account = accountOf(yield* Running, 0)
      const message = yield* challengeOf(url, account.address)
      const signature = yield* Effect.promise(() => account.signMessage({ message }))
      const again = yield* ask(url, "POST", "/dashboard/session/wallet", { message, signature }, headersOf(first))
      assert.strictEqual(again.status, 200)
      assert.notStrictEqual(sessionOf(again).cookie, first.cookie)
      assert.strictEqual(yield* statusOf(first, "POST", "/dashboard/keys", { label: "late" }), 401)
    }))

  it.effect("a wallet keeps its twenty newest sessions; the store has no text of any", () =>
    Effect.gen(function*() {
      const { store } = yield* Running
      const sessions = yield* Effect.forEach(Array.from({ length: 22 }), () => walletSession(4))
      const alive = yield* Effect.forEach(sessions, (each) =>
        Effect.map(statusOf(each, "GET", "/dashboard/keys"), (status) => status === 200))
      assert.deepStrictEqual(alive, [
        false,
        false,
        ...Array.from({ length: 20 }, () =>
          true)
      ])
      const rows = JSON.stringify(yield* rowsBeside(store, "SELECT * FROM dashboard_sessions"))
      for (const { cookie } of sessions) assert.notInclude(rows, cookie.split("=")[1] ?? cookie)
    }))

  it.effect("grants name routes of the API only", () =>
    Effect.sync(() => {
      const known = new Set(
        routesOf(TransferApi, []).flatMap(({ methods, pattern }) =>
          [...methods].map((method) => `${method} ${pattern}`)
        )
      )
      assert.deepStrictEqual(grantedRoutes.filter((route) => !known.has(route)), [])
    }))
})
