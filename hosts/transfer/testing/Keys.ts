/**
 * Adds API keys to the store of a host that has not started yet: an embedded store belongs to one process at a time.
 */
import { Effect, Layer, Redacted } from "effect"
import * as SqlApiKeys from "../../../adapters/storage/clients/ApiKeys.ts"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { layerMigrations } from "../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { ApiKeyId, apiKeyHash } from "../../../src/domain/api-key/ApiKey.ts"

/** Adds a key for each of these texts. The text is also its id. */
export const addKeys = (databaseUrl: string, texts: ReadonlyArray<string>) =>
  Effect.flatMap(
    ApiKeys,
    (keys) =>
      Effect.forEach(texts, (text) => keys.add({ id: ApiKeyId.make(text), label: text }, apiKeyHash(text), 1), {
        discard: true
      })
  ).pipe(
    Effect.provide(SqlApiKeys.layer.pipe(
      Layer.provideMerge(layerMigrations(migrations)),
      Layer.provideMerge(layerDatabase(Redacted.make(databaseUrl)))
    )),
    Effect.scoped
  )
