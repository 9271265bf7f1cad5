import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../ports/ApiKeys.ts"
import { ApiKeyId, apiKeyHash } from "../../src/domain/api-key/ApiKey.ts"
import { MicroUsdc } from "../../src/domain/app-balance/MicroUsdc.ts"
import { Address } from "../../src/domain/chain/Address.ts"
import * as SqlApiKeys from "./ApiKeys.ts"
import { layerMigrations } from "./engine/Migrations.ts"
import { migrations } from "./migrations/index.ts"
import { describeEngines } from "./testing/engines.ts"

describeEngines((_, engine) => {
  it.live("keeps keys by their hashes, finds what was kept, and a revoked one no more", () =>
    Effect.gen(function*() {
      const keys = yield* ApiKeys
      const sql = yield* SqlClient.SqlClient
      const plain = { id: ApiKeyId.make("key-1"), label: "a page" }
      const linked = { id: ApiKeyId.make("key-2"), label: "", wallet: Address.make(`0x${"a1".repeat(20)}`), defaultCap: MicroUsdc(2n ** 60n) }
      yield* keys.add(plain, apiKeyHash("one"), 1)
      yield* keys.add(linked, apiKeyHash("two"), 2)
      assert.deepStrictEqual(yield* keys.find(apiKeyHash("one")), plain)
      assert.deepStrictEqual(yield* keys.find(apiKeyHash("two")), linked)
      assert.isUndefined(yield* keys.find(apiKeyHash("three")))
      assert.strictEqual((yield* Effect.flip(keys.add({ ...plain, id: ApiKeyId.make("key-3") }, apiKeyHash("one"), 3)))._tag, "StoreUnavailable")
      yield* sql`UPDATE api_keys SET revoked_at = 4 WHERE id = ${plain.id}`
      assert.isUndefined(yield* keys.find(apiKeyHash("one")))
      const kept = (yield* sql`SELECT * FROM api_keys`).flatMap((row) => Object.values(row).map(String))
      assert.isFalse(kept.some((value) => value.includes("one")))
    }).pipe(
      Effect.provide(SqlApiKeys.layer.pipe(Layer.provideMerge(layerMigrations(migrations)), Layer.provideMerge(engine))),
      Effect.scoped
    ))
})
