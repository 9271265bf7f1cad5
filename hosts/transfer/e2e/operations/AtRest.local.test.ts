/** The files of a running service, and what a key changes about them. As processes, from their environment alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { globSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseEther } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { verifyWebhook } from "../../../../src/domain/webhook/VerifyWebhook.ts"
import { anyFree } from "../../../localnet/nodes/Port.ts"
import { ended, nativeRequest, post, postQuote, QuoteAnswer, sendDeposit } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { spawnHost } from "../../testing/HostProcess.ts"
import { addKeys } from "../../testing/Keys.ts"
import { eventually, startReceiver } from "../../testing/Receiver.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const RIGHT = `0x${"5e".repeat(32)}`
const WRONG = `0x${"e5".repeat(32)}`
const PLAIN = /SECRETS_KEY is not set: secrets of webhooks are stored in plain text.*"level":"WARN"/

describe("a store on the disk", () => {
  it.live("is readable by its owner only; with a key its secrets are sealed, sign as before, and cannot be opened by another key", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains, environment, startHost } = yield* startNetwork
      const url = environment["DATABASE_URL"] ?? ""
      const store = url.slice("sqlite:".length)
      yield* addKeys(url, ["alice"])
      const receiver = yield* startReceiver()
      const key = chains.users[0] ?? "0x"
      const transfer = Effect.fnUntraced(function*(host: string) {
        const body = nativeRequest(privateKeyToAccount(key).address, chains.alpha, chains.beta, parseEther("0.1"))
        const quoted = Schema.decodeUnknownSync(QuoteAnswer)(
          (yield* postQuote(host, body, { "x-api-key": "alice" })).json()
        )
        yield* sendDeposit(chains.alpha, key, quoted)
        yield* ended(host, quoted)
      })

      // As before, without a key: a warning at the start and by the doctor.
      const plain = yield* startHost()
      assert.match(plain.output(), PLAIN)
      const made = yield* post(`${plain.url}/webhooks`, { url: receiver.url }, { "x-api-key": "alice" })
      assert.strictEqual(made.status, 200, made.text)
      const { secret } = Schema.decodeUnknownSync(Schema.Struct({ secret: Schema.String }))(made.json())
      for (const file of globSync(`${store}*`)) {
        assert.strictEqual((statSync(file).mode & 0o777).toString(8), "600", file)
      }
      const looked = yield* runOperation("doctor", environment)
      assert.deepStrictEqual([looked.code, looked.error], [0, ""], looked.out)
      assert.match(looked.out, /warning: SECRETS_KEY is not set: .*\(1 of them\)/)
      yield* plain.kill("SIGTERM")

      // With a key, and metrics at a separate address.
      const metrics = `127.0.0.1:${yield* anyFree}`
      const sealed = yield* startHost({ SECRETS_KEY: RIGHT, METRICS_ADDRESS: metrics })
      assert.match(sealed.output(), /sealed 1 secrets of webhooks with key [0-9a-f]{16}/)
      assert.notMatch(sealed.output(), /SECRETS_KEY is not set/)
      assert.strictEqual((yield* get(`${sealed.url}/metrics`)).status, 404)
      assert.strictEqual((yield* get(`${sealed.url}/metrics`, { method: "POST" })).status, 404)
      assert.include((yield* get(`http://${metrics}/metrics`)).text, "# TYPE causeway_http_requests_total counter")
      for (const path of ["/lives", "/chains", "/admin/overview"]) {
        assert.strictEqual((yield* get(`http://${metrics}${path}`)).status, 404, path)
      }
      yield* transfer(sealed.url)
      yield* eventually("a delivery", () => receiver.received.length > 0)
      const [told] = receiver.received
      assert.deepStrictEqual(
        verifyWebhook({ body: told?.body ?? "", headers: told?.headers ?? {}, secrets: [secret], now: Date.now() }).ok,
        true
      )
      for (const file of globSync(`${store}*`)) {
        assert.isFalse(readFileSync(file).includes(secret), file)
        assert.strictEqual((statSync(file).mode & 0o777).toString(8), "600", file)
      }
      const backup = join(dirname(store), "backups", "one.db")
      assert.strictEqual((yield* runOperation("backup", environment, backup)).code, 0)
      assert.isFalse(readFileSync(backup).includes(secret))
      assert.strictEqual((yield* runOperation("doctor", { ...environment, SECRETS_KEY: RIGHT })).code, 0)
      const other = yield* runOperation("doctor", { ...environment, SECRETS_KEY: WRONG })
      assert.deepStrictEqual(other.code, 1)
      assert.match(other.out, /the service does not start: SECRETS_KEY does not open the store's secrets/)
      yield* sealed.kill("SIGTERM")

      // A restored backup is the store again, with only its key.
      assert.strictEqual((yield* runOperation("restore", environment, backup)).code, 0)
      for (
        const [changes, message] of [
          [
            { SECRETS_KEY: WRONG },
            /did not start: SECRETS_KEY does not open the store's secrets: they are sealed with key [0-9a-f]{16}/
          ],
          [{}, /did not start: SECRETS_KEY is not set, and the store's secrets are sealed with key [0-9a-f]{16}/],
          [
            { SECRETS_KEY: environment["SOLVER_PRIVATE_KEY"] ?? "" },
            /SECRETS_KEY must be the key of stored secrets and nothing else/
          ],
          [{ SECRETS_KEY: "short" }, /SECRETS_KEY is not valid: /]
        ] as const
      ) {
        const refused = yield* spawnHost("transfer", { ...environment, ...changes })
        assert.strictEqual(yield* refused.ended, 1, refused.output())
        assert.match(refused.output(), message)
        assert.notInclude(refused.output(), WRONG)
      }
      const again = yield* startHost({ SECRETS_KEY: `${WRONG};${RIGHT}` })
      assert.match(again.output(), /sealed 1 secrets of webhooks with key/)
    })))
})
