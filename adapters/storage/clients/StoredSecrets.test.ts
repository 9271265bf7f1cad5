/** A store's secrets on both engines: sealed at the start, bound to their rows, and useless under another key. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { globSync, readFileSync, rmSync } from "node:fs"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { SecretSealing } from "../../../ports/signing/SecretSealing.ts"
import { WebhookDeliveries } from "../../../ports/store/clients/WebhookDeliveries.ts"
import { Webhooks } from "../../../ports/store/clients/Webhooks.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"
import { WebhookId } from "../../../src/domain/webhook/Webhook.ts"
import { sealingOf } from "../../sealing/testing/SealingOf.ts"
import * as SqlApiKeys from "./ApiKeys.ts"
import { backup, restore } from "../engine/Backup.ts"
import { layerDatabase } from "../engine/Database.ts"
import { layerMigrations } from "../engine/Migrations.ts"
import { migrations } from "../migrations/index.ts"
import { checkSecrets, layerSealed } from "./StoredSecrets.ts"
import { describeEngines, TestDatabase } from "../testing/engines.ts"
import { transferOf } from "../testing/Transfers.ts"
import * as SqlTransfers from "../orders/Transfers.ts"
import * as SqlWebhookDeliveries from "./WebhookDeliveries.ts"
import * as SqlWebhooks from "./Webhooks.ts"

const mine = ApiKeyId.make("mine")
const idOf = (n: number) => WebhookId.make(`wh_${n.toString(16).padStart(24, "0")}`)

const repositories = Layer.mergeAll(SqlTransfers.layer, SqlApiKeys.layer, SqlWebhooks.layer, SqlWebhookDeliveries.layer)

/** One start of a process on the store, with these keys. */
const started = <A, E>(
  url: Redacted.Redacted,
  keys: ReadonlyArray<string>,
  use: Effect.Effect<A, E, Layer.Success<typeof repositories> | SecretSealing | SqlClient.SqlClient>
) =>
  use.pipe(Effect.provide(repositories.pipe(
    Layer.provideMerge(layerSealed),
    Layer.provideMerge(sealingOf(...keys)),
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(layerDatabase(url))
  )))

const refusal = (url: Redacted.Redacted, ...keys: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(started(url, keys, Effect.void)), (error) => `${error._tag}: ${error.message}`)

const subscribe = (n: number) =>
  Effect.flatMap(
    Webhooks,
    ({ add }) =>
      add(
        { id: idOf(n), apiKeyId: mine, url: `https://${n}.example/`, createdAt: n },
        Redacted.make(`whsec_number ${n}`),
        9
      )
  )

const begin = Effect.gen(function*() {
  yield* Effect.flatMap(ApiKeys, ({ add }) => add({ id: mine, label: "" }, apiKeyHash(mine), 1))
  yield* subscribe(1)
  yield* subscribe(2)
  // Deleted rows leave their bytes in pages of the file.
  for (let n = 4; n < 9; n += 1) yield* subscribe(n)
  yield* Effect.forEach([4, 5, 6, 7, 8], (n) => Effect.flatMap(Webhooks, ({ remove }) => remove(mine, idOf(n))))
  yield* Effect.flatMap(Webhooks, ({ rotate }) => rotate(mine, idOf(2), Redacted.make("whsec_newer 2"), 9_000))
})

/** The secrets that sign now, by webhook. Each call reports one more transfer. */
const signing = (n: number) =>
  Effect.gen(function*() {
    yield* Effect.flatMap(Transfers, (transfers) =>
      Effect.andThen(
        transfers.add(transferOf(n, { apiKeyId: mine })),
        transfers.move(transferOf(n, {}).id, { to: "pending", at: n })
      ))
    const claimed = yield* Effect.flatMap(WebhookDeliveries, ({ claim }) => claim(8_000, 8_001 + n, 20, []))
    return claimed.filter(({ fact }) => fact._tag === "RequestUpdated" && fact.request === transferOf(n, {}).id)
      .map(({ secrets, webhookId }) => `${webhookId.at(-1)} ${secrets?.map(Redacted.value).join("+")}`).toSorted()
  })
const ALL = ["1 whsec_number 1", "2 whsec_newer 2+whsec_number 2"]

const stored = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<
      { readonly secret: string; readonly previous_secret: string | null }
    >`SELECT secret, previous_secret FROM webhooks ORDER BY id`
)
const keysOf = Effect.map(
  stored,
  (rows) =>
    new Set(
      rows.flatMap(({ previous_secret: previous, secret }) => [secret, ...(previous === null ? [] : [previous])]).map((
        text
      ) => text.split(":")[2] ?? text)
    )
)

describeEngines((name, _engine, database) => {
  it.live("seals at start what older versions stored, opens it for signing, and leaves no plain text in an embedded store", () =>
    Effect.gen(function*() {
      const url = yield* TestDatabase
      yield* started(url, [], begin)
      assert.deepStrictEqual(yield* started(url, [], Effect.map(stored, (rows) => rows.map(({ secret }) => secret))), [
        "whsec_number 1",
        "whsec_newer 2"
      ])
      yield* started(
        url,
        ["aa"],
        Effect.gen(function*() {
          for (const { secret } of yield* stored) assert.match(secret, /^sealed:1:/)
          assert.strictEqual((yield* keysOf).size, 1)
          yield* subscribe(3)
          assert.deepStrictEqual(yield* signing(10), [...ALL, "3 whsec_number 3"])
          assert.deepStrictEqual(yield* checkSecrets, { plain: 0, outdated: 0 })
        })
      )
      if (name !== "sqlite") return
      const path = Redacted.value(url).slice("sqlite:".length)
      for (const file of globSync(`${path}*`)) assert.isFalse(readFileSync(file).includes("whsec_"), file)
    }).pipe(Effect.provide(database)))

  it.live("rotates from one key to the next, and does not start with a wrong or missing key, even before anything is sealed", () =>
    Effect.gen(function*() {
      const url = yield* TestDatabase
      yield* started(url, ["aa"], Effect.void)
      assert.match(
        yield* refusal(url, "bb"),
        /^SecretsKeyRefused: SECRETS_KEY does not open the store's secrets: they are sealed with key [0-9a-f]{16}, and SECRETS_KEY is key [0-9a-f]{16}\. .*<new>;<old>/
      )
      yield* started(url, ["aa"], begin)
      assert.match(yield* refusal(url, "bb"), /^SecretsKeyRefused: SECRETS_KEY does not open/)
      assert.match(
        yield* refusal(url),
        /^SecretsKeyRefused: SECRETS_KEY is not set, and the store's secrets are sealed with key/
      )
      assert.deepStrictEqual(yield* started(url, ["bb", "aa"], signing(10)), ALL)
      const next = yield* started(url, ["bb"], Effect.andThen(signing(11), keysOf))
      assert.strictEqual(next.size, 1)
      assert.match(yield* refusal(url, "aa"), /does not open/)
    }).pipe(Effect.provide(database)))

  it.live("does not start on exchanged rows, and signs nothing with one that is exchanged while it runs", () =>
    Effect.gen(function*() {
      const url = yield* TestDatabase
      yield* started(url, ["aa"], begin)
      const move = Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql`UPDATE webhooks SET secret = (SELECT secret FROM webhooks WHERE id = ${idOf(1)}) WHERE id = ${idOf(2)}`
      )
      assert.deepStrictEqual(yield* started(url, ["aa"], Effect.andThen(move, signing(10))), [
        "1 whsec_number 1",
        "2 undefined"
      ])
      assert.match(
        yield* refusal(url, "aa"),
        new RegExp(`^SecretsKeyRefused: the secret of webhook ${idOf(2)} cannot be opened with its own key`)
      )
    }).pipe(Effect.provide(database)))

  // PostgreSQL has its own backup tools.
  if (name !== "sqlite") return
  it.live("a backup needs the key that was set when it was made", () =>
    Effect.gen(function*() {
      const url = yield* TestDatabase
      const path = Redacted.value(url).slice("sqlite:".length)
      yield* started(url, ["aa"], begin)
      yield* backup(path, `${path}.backup`)
      assert.isFalse(readFileSync(`${path}.backup`).includes("whsec_"))
      rmSync(path)
      yield* restore(`${path}.backup`, path, migrations, 1)
      assert.match(yield* refusal(url), /SECRETS_KEY is not set/)
      assert.match(yield* refusal(url, "bb"), /SECRETS_KEY does not open/)
      assert.deepStrictEqual(yield* started(url, ["aa"], signing(10)), ALL)
    }).pipe(Effect.provide(database)))
})
