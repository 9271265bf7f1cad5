/** The command against a host on real chains: quoted, paid by a local key, followed, and told of by webhooks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fixtureOf } from "../../scripts/testing/FixtureOf.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { accountOfKey } from "../../src/domain/encoding/Signature.ts"
import { verifyWebhook } from "../../src/domain/webhook/VerifyWebhook.ts"
import { startFixture } from "../transfer/testing/Fixture.ts"
import { get } from "../transfer/testing/Get.ts"
import { eventually, startReceiver } from "../transfer/testing/Receiver.ts"
import { ETH, held } from "../transfer/testing/Tokens.ts"
import { startNetwork } from "../transfer/testing/TransferNetwork.ts"
import { WIDTH } from "./Help.ts"
import { runCommand } from "./testing/RunCommand.ts"

class Running extends fixtureOf<Running>()("test/Causeway", startFixture(startNetwork, { keys: ["alice"] })) {}

const chainsFile = join(import.meta.dirname, "../../configs/chains.local.json")

/** Ids and hashes may be wider than a line. */
const tooWide = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.replaceAll(/0x[0-9a-fA-F]{40,}/gu, "0x").length > WIDTH)

const Paid = Schema.fromJsonString(Schema.Struct({
  requestId: Schema.String,
  status: Schema.String,
  sent: Schema.Array(Schema.String)
}))
const Quoted = Schema.fromJsonString(
  Schema.Struct({ details: Schema.Struct({ currencyOut: Schema.Struct({ amount: Schema.String }) }) })
)
const Listed = Schema.Struct({ webhooks: Schema.Array(Schema.Struct({ id: Schema.String, url: Schema.String })) })
const decodeListed = Schema.decodeUnknownSync(Listed)
const decodePaid = Schema.decodeUnknownSync(Paid)
const decodeQuoted = Schema.decodeUnknownSync(Quoted)

const keyFile = (key: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "causeway-key-"))
      writeFileSync(join(folder, "key"), `${key}\n`)
      return { folder, file: join(folder, "key") }
    }),
    ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(Effect.map(({ file }) => file))

const ways = ["--from", "alpha", "--to", "beta"]

layer(Running.layer, { excludeTestServices: true, timeout: 120_000 })("causeway", (it) => {
  /** How a user pays by a quote that is checked. */
  const paying = Effect.fnUntraced(function*(index: number) {
    const { chains, fresh, key, url } = yield* Running
    const recipient = fresh()
    const solver = Result.getOrThrow(accountOfKey(Hex32.make(chains.solverKey)))
    const words = [...ways, "--url", url, "--rpc-url", chains.alpha.url, "--recipient", recipient]
    return { recipient, solver, words, file: yield* keyFile(key(index)) }
  })

  it.effect("shows chains, prices and quotes in 80 columns, with units, and their whole answers as JSON", () =>
    Effect.gen(function*() {
      const { url, user } = yield* Running
      const asked = [...ways, "--amount", "0.1", "--user", user(0), "--url", url]
      const chains = yield* runCommand(["chains", "--url", url])
      assert.match(chains.out, /^alpha +616101 +evm +served +ETH /mu)
      const [price, quote, json] = yield* Effect.all([
        runCommand(["price", ...asked]),
        runCommand(["quote", ...asked]),
        runCommand(["quote", ...asked, "--json"])
      ])
      for (const { code, error, out } of [chains, price, quote]) {
        assert.deepStrictEqual([code, error, tooWide(out)], [0, "", []])
      }
      assert.match(price.out, /^pays +0\.1 ETH \(\d+\.\d{6} USD\) on alpha$/mu)
      assert.notInclude(price.out, "request")
      assert.match(quote.out, /^request +0x[0-9a-f]{64}$/mu)
      assert.isAbove(Number(decodeQuoted(json.out).details.currencyOut.amount), 0)
      const unknown = yield* runCommand(["price", ...asked, "--currency", "NONE"])
      assert.strictEqual(unknown.code, 2)
      assert.include(unknown.error, "--currency NONE is none of ETH, ")
    }))

  it.effect("pays a quote that it has checked, once, to the unit, and tells what became of it", () =>
    Effect.gen(function*() {
      const { chains, url } = yield* Running
      const { file, recipient, solver, words } = yield* paying(0)
      const checked = ["--solver", solver, "--chains-file", chainsFile]
      const ran = yield* runCommand(["transfer", ...words, ...checked, "--amount", "0.1", "--key-file", file, "--json"])
      assert.strictEqual(ran.code, 0, ran.error)
      const { requestId, sent, status } = decodePaid(ran.out)
      assert.deepStrictEqual([status, sent.length], ["success", 1])
      assert.deepStrictEqual(tooWide(ran.error), [])
      // What it said on the way, before anything was sent.
      assert.isBelow(ran.error.indexOf(`request   ${requestId}`), ran.error.indexOf(`sent      ${sent[0]}`))
      const delivers = /^delivers +([\d.]+) ETH/mu.exec(ran.error)?.[1] ?? "0"
      const arrived = yield* held(chains.beta, ETH, recipient)
      assert.strictEqual(`${arrived}`, delivers.replace(/^0\./u, "").padEnd(18, "0").replace(/^0+/u, ""))

      const shown = yield* runCommand(["status", requestId, "--url", url])
      assert.match(shown.out, /^status +success$/mu)
      const followed = yield* runCommand(["follow", requestId, "--url", url, "--json"])
      assert.deepStrictEqual([followed.code, followed.out], [0, `{"id":"${requestId}","status":"success"}\n`])
    }).pipe(Effect.scoped))

  it.effect("pays nothing by a quote of another solver, and nothing without being told whom to trust", () =>
    Effect.gen(function*() {
      const { chains, url, user } = yield* Running
      const { file, words } = yield* paying(1)
      const before = yield* held(chains.alpha, ETH, user(1))
      const pay = ["transfer", ...words, "--amount", "0.1", "--key-file", file]
      const stranger = yield* runCommand([...pay, "--solver", user(2), "--chains-file", chainsFile, "--json"])
      assert.strictEqual(stranger.code, 1)
      assert.include(stranger.out, "\"reason\":\"unverified\"")
      const untold = yield* runCommand(pay)
      assert.strictEqual(untold.code, 2)
      assert.include(untold.error, "--trust")
      assert.strictEqual(yield* held(chains.alpha, ETH, user(1)), before)
      const address = ["deposit-address", ...ways, "--url", url, "--amount", "0.1", "--refund-to", user(1)]
      assert.strictEqual((yield* runCommand(address)).code, 2)
      const made = yield* runCommand([...address, "--trust"])
      assert.deepStrictEqual([made.code, tooWide(made.out)], [0, []], made.error)
      assert.match(made.out, /^pay +0\.1 ETH on alpha\nto +0x[0-9a-fA-F]{40}$/mu)
    }).pipe(Effect.scoped))

  it.effect("listens to webhooks, hands on what is genuine, replays, and leaves no webhook behind", () =>
    Effect.gen(function*() {
      const { url } = yield* Running
      const { file, words } = yield* paying(3)
      const [receiver, other] = [yield* startReceiver(), yield* startReceiver()]
      yield* get(`${url}/webhooks`, {
        method: "POST",
        headers: { "x-api-key": "alice", "content-type": "application/json" },
        body: JSON.stringify({ url: other.url })
      })
      const environment = { API_KEY: "alice" }
      const mine = get(`${url}/webhooks`, { headers: { "x-api-key": "alice" } })
      const listening = yield* Effect.forkChild(runCommand(
        ["webhooks", "listen", "--url", url, "--forward-to", receiver.url, "--count", "2", "--json"],
        environment
      ))
      const until = Effect.fnUntraced(function*(count: number) {
        while (true) {
          const { webhooks } = decodeListed((yield* mine).json())
          if (webhooks.length === count) return webhooks
          yield* Effect.sleep(20)
        }
      })
      const webhook = (yield* until(2)).find((each) => each.url !== other.url)
      const forged = yield* get(webhook?.url ?? "", { method: "POST", body: "{}" })
      assert.strictEqual(forged.status, 401)

      const paid = yield* runCommand(
        ["transfer", ...words, "--trust", "--amount", "0.1", "--key-file", file, "--json"],
        environment
      )
      assert.strictEqual(paid.code, 0, paid.error)
      const { requestId } = decodePaid(paid.out)
      const heard = yield* Fiber.join(listening)
      const secret = /whsec_\S+/u.exec(heard.error)?.[0] ?? ""
      assert.strictEqual(heard.code, 0, heard.error)
      const lines = heard.out.trim().split("\n")
      assert.strictEqual(lines.length, 2, heard.out)
      for (const [index, line] of lines.entries()) {
        assert.include(line, `"id":"${requestId}.${index + 1}"`)
        assert.include(line, "\"forwarded\":200")
      }
      assert.include(heard.error, "refused: missing-headers")
      yield* eventually("handed on", () => receiver.received.length >= 2)
      for (const { body, headers } of receiver.received) {
        assert.deepStrictEqual(verifyWebhook({ body, headers, secrets: [secret], now: Date.now() }), { ok: true })
      }
      const [left] = yield* until(1)
      yield* eventually("the other has both, too", () => other.received.length >= 2)
      const command = (...rest: ReadonlyArray<string>) => runCommand(["webhooks", ...rest, "--url", url], environment)
      const shown = yield* command("deliveries")
      const delivery = /request\.status\.updated 1\n +(\S+)/u.exec(shown.out)?.[1] ?? assert.fail(shown.out)
      const told = () => other.received.filter(({ json }) => json.id === `${requestId}.1`).length
      const before = told()
      assert.strictEqual((yield* command("replay", delivery)).code, 0)
      // A later change may be told meanwhile.
      yield* eventually("told again", () => told() > before)
      assert.include((yield* command("list")).out, other.url)
      assert.strictEqual((yield* command("remove", left?.id ?? "")).code, 0)
      assert.strictEqual((yield* command("list")).out, "the key has no webhooks\n")
    }).pipe(Effect.scoped))
})
