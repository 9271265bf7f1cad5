/** The operator's keys over HTTP: made, shown once, rotated with an overlap, revoked at once. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { startFixture } from "../../testing/Fixture.ts"
import { startedAsByNpm } from "../../../../scripts/testing/StartedAsByNpm.ts"
import { privateKeyToAccount } from "viem/accounts"
import { nativeRequest, post } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { authorization: `Bearer ${ADMIN_TOKEN}` }

class Running extends fixtureOf<Running>()(
  "test/Keys",
  Effect.map(
    startFixture(startNetwork, { settings: { ADMIN_TOKEN } }),
    (fixture) => {
      const { chains: { alpha, beta }, url, user } = fixture
      const request = nativeRequest(user(0), alpha, beta, 10n ** 17n)
      return { ...fixture, quoteUnder: (key: string) => post(`${url}/quote`, request, { "x-api-key": key }) }
    }
  )
) {}

const program = join(import.meta.dirname, "../../../cli/causeway.ts")

/** `causeway keys` as run from a shell. */
const keysCommand = (words: ReadonlyArray<string>, ...rest: Rest) => command(["keys", ...words], ...rest)

type Rest = [Readonly<Record<string, string>>, ((stderr: string) => Promise<string | undefined>)?]

const command = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  stdin?: (stderr: string) => Promise<string | undefined>
) =>
  Effect.promise(() =>
    new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) => {
      const child = spawn(process.execPath, [...startedAsByNpm, program, ...words], {
        env: { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...environment },
        stdio: ["pipe", "pipe", "pipe"]
      })
      let out = ""
      let err = ""
      child.stdout.on("data", (chunk: Buffer) => {
        out += chunk.toString()
      })
      child.stderr.on("data", (chunk: Buffer) => {
        err += chunk.toString()
        void stdin?.(err).then((answer) => answer === undefined ? undefined : child.stdin.end(`${answer}\n`))
      })
      if (stdin === undefined) child.stdin.end()
      child.once("close", (code) => resolve({ code, out, err }))
    })
  )

const NewKey = Schema.Struct({
  id: Schema.String,
  key: Schema.String.check(Schema.isPattern(/^cwk_[A-Za-z0-9_-]{43}$/)),
  label: Schema.String
})
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

layer(Running.layer, { excludeTestServices: true })("keys of the operator", (it) => {
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

  it.effect("creates a key that works, shows it once, and does not store its text", () =>
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

  it.effect("creates a new key each time, with any Idempotency-Key: an answer with a secret is not stored", () =>
    Effect.gen(function*() {
      const one = yield* create("same", { "idempotency-key": "same" })
      const other = yield* create("same", { "idempotency-key": "same" })
      assert.notStrictEqual(one.key, other.key)
      assert.notStrictEqual(one.id, other.id)
    }))

  it.effect("rotates: both texts work until the overlap ends; without an overlap the old one ends at once", () =>
    Effect.gen(function*() {
      const { quoteUnder } = yield* Running
      const { id, key } = yield* create("rotating")
      const second = yield* rotate(id, { overlapSeconds: 3_600 })
      assert.isAbove(Date.parse(second.previousUntil), Date.now())
      assert.deepStrictEqual([(yield* quoteUnder(key)).status, (yield* quoteUnder(second.key)).status], [200, 200])
      const short = yield* create("rotating soon")
      const next = yield* rotate(short.id, { overlapSeconds: 1 })
      yield* Effect.sleep(Math.max(0, Date.parse(next.previousUntil) + 1 - Date.now()))
      assert.deepStrictEqual([(yield* quoteUnder(short.key)).status, (yield* quoteUnder(next.key)).status], [401, 200])
      const third = yield* rotate(id, { overlapSeconds: 0 })
      assert.deepStrictEqual([(yield* quoteUnder(second.key)).status, (yield* quoteUnder(third.key)).status], [
        401,
        200
      ])
      const byDefault = yield* rotate(id, {})
      assert.approximately(Date.parse(byDefault.previousUntil) - Date.now(), 24 * 3600 * 1000, 60_000)
    }))

  it.effect("revokes both texts at once; a revoked key cannot be rotated", () =>
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

  it.effect("answers nobody without the token, and refuses an invalid label, overlap or key", () =>
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
        assert.include(
          [400, 404],
          (yield* get(`${url}/api-keys/${unknown}`, { method: "DELETE", headers: admin })).status
        )
      }
    }))

  it.effect("works from a shell: only the key's text on stdout, other words on stderr, distinct exit codes", () =>
    Effect.gen(function*() {
      const { chains, quoteUnder, url } = yield* Running
      const operator = { TRANSFER_URL: url, ADMIN_TOKEN }
      const user = chains.users[0] ?? "0x"
      const { address } = privateKeyToAccount(user)
      const made = yield* keysCommand(["create", "from a shell"], operator)
      assert.strictEqual(made.code, 0, made.err)
      assert.match(made.out, /^cwk_[A-Za-z0-9_-]{43}\n$/)
      const key = made.out.trim()
      const id = /made (key_[0-9a-f]{16}) \(from a shell\)/.exec(made.err)?.[1] ?? "none"
      assert.notInclude(made.err, key)
      const app = { TRANSFER_URL: url, API_KEY: key }

      const linked = yield* keysCommand(["link", address], { ...app, WALLET_PRIVATE_KEY: user })
      assert.deepStrictEqual([linked.code, linked.out], [0, ""], linked.err)
      assert.include(linked.err, `${id} (from a shell) spends the app balance of ${address.toLowerCase()}`)
      const listed = yield* keysCommand(["list"], operator)
      assert.match(listed.out, new RegExp(`^ID .*\\n(?:.*\\n)*${id}  ${address.toLowerCase()}  valid +from a shell\\n`))
      const pasted = yield* keysCommand(
        ["unlink", "--wallet", address, "--key", id],
        { TRANSFER_URL: url },
        async (err) => {
          const message = /five minutes:\n\n([\s\S]*)\n\nand paste/.exec(err)?.[1]
          return message === undefined ? undefined : privateKeyToAccount(user).signMessage({ message })
        }
      )
      assert.strictEqual(pasted.code, 0, pasted.err)
      assert.include(pasted.err, `no longer linked: ${id}`)
      assert.include((yield* keysCommand(["unlink"], app)).err, `${id} (from a shell) is linked to no wallet`)

      const rotated = yield* keysCommand(["rotate", id, "--overlap", "0"], operator)
      assert.deepStrictEqual([(yield* quoteUnder(key)).status, (yield* quoteUnder(rotated.out.trim())).status], [
        401,
        200
      ])
      assert.strictEqual((yield* keysCommand(["revoke", id], operator)).code, 0)
      assert.strictEqual((yield* quoteUnder(rotated.out.trim())).status, 401)

      const failures = yield* Effect.all([
        keysCommand(["revoke", "key_0000000000000000"], operator),
        keysCommand(["list"], { TRANSFER_URL: url, ADMIN_TOKEN: "another token of at least 32 characters" }),
        keysCommand(["list"], { TRANSFER_URL: url }),
        keysCommand(["create", "two\nlines"], operator),
        keysCommand(["link", address], { TRANSFER_URL: url, API_KEY: key, WALLET_PRIVATE_KEY: user }),
        keysCommand(["list"], { TRANSFER_URL: "http://127.0.0.1:1", ADMIN_TOKEN })
      ], { concurrency: 3 })
      assert.deepStrictEqual(failures.map(({ code }) => code), [1, 1, 1, 2, 1, 1])
      assert.deepStrictEqual(failures.map(({ out }) => out.includes("cwk_")), failures.map(() => false))
      for (const { err } of failures) {
        for (const secret of [ADMIN_TOKEN, user.slice(2), key]) assert.notInclude(err, secret)
      }
    }))

  it.effect("shows balances and budgets as the API has them, in dollars", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk: Buffer) => {
          body += chunk.toString()
        })
        request.on("end", () => {
          asked.push(`${request.method} ${request.url} ${body}`)
          response.setHeader("content-type", "application/json")
          response.end(JSON.stringify({
            totalBalanceUsd: "12.500000",
            availableBalanceUsd: "10.000000",
            total: null,
            perDay: "12500000",
            perRecipientPerDay: "3000000",
            laterPerAddressPerDay: "500000",
            defaultCap: "1",
            spent: { total: "2500000", today: "0" }
          }))
        })
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.sync(() => server.close())
      )
      const environment = { TRANSFER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, ADMIN_TOKEN }
      const wallet = `0x${"a1".repeat(20)}`
      const [balance, wrong, , budget] = yield* Effect.all([
        command(["balance", wallet], environment),
        keysCommand(["budget", "key_1", "--total", "1e6"], environment),
        keysCommand([
          "budget",
          "key_1",
          "--per-day",
          "12.5",
          "--default-cap",
          "0.000001",
          "--per-recipient-per-day",
          "3",
          "--later-per-address-per-day",
          "0.5"
        ], environment),
        keysCommand(["budget", "key_1"], environment),
        keysCommand(["budget", "key_1", "--unlimited"], environment)
      ], { concurrency: 3 })
      assert.strictEqual(balance.out, "TOTAL USD  AVAILABLE USD\n12.500000  10.000000\n")
      assert.deepStrictEqual([wrong.code, wrong.err], [
        2,
        "causeway keys budget: --total is USDC with up to six decimals, such as 12.50\nnpx causeway keys budget --help shows the usage\n"
      ])
      assert.deepStrictEqual(budget.out.trim().split("\n"), [
        "total                  no limit",
        "perDay                 12.50 USDC",
        "perRecipientPerDay     3.00 USDC",
        "laterPerAddressPerDay  0.50 USDC",
        "defaultCap             0.000001 USDC",
        "spent                  2.50 USDC",
        "spent today            0.00 USDC"
      ])
      assert.deepStrictEqual(asked.toSorted(), [
        "GET /api-keys/key_1/budgets ",
        `GET /app-fees/${wallet}/balances `,
        "PUT /api-keys/key_1/budgets {\"total\":null,\"perDay\":\"12500000\",\"perRecipientPerDay\":\"3000000\",\"laterPerAddressPerDay\":\"500000\",\"defaultCap\":\"1\"}",
        "PUT /api-keys/key_1/budgets {\"total\":null,\"perDay\":null,\"perRecipientPerDay\":null,\"laterPerAddressPerDay\":null,\"defaultCap\":null}"
      ])
    }).pipe(Effect.scoped))
})
