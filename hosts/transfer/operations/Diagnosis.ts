/** The doctor's check of the environment's store and chains. An embedded store is read beside its owner. */
import { Effect, Layer, Result } from "effect"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { checkMigrated } from "../../../adapters/storage/engine/Migrations.ts"
import { checkSecrets, warningOf } from "../../../adapters/storage/clients/StoredSecrets.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import type { Since } from "../../../src/domain/reconciliation/ReconciliationScope.ts"
import { reconcile } from "../../../src/services/operations/Reconciling.ts"
import * as StuckRequests from "../../../src/services/operations/StuckRequests.ts"
import { SecretSealing } from "../../../ports/signing/SecretSealing.ts"
import * as Adapters from "../config/Adapters.ts"
import { readEnvironment } from "../config/Environment.ts"
import type { Environment } from "../config/Environment.ts"

const layer = (environment: Environment) => {
  const store = Layer.effectDiscard(checkMigrated(migrations)).pipe(
    Layer.provideMerge(layerDatabase(environment.databaseUrl, { readOnly: true, maxConnections: 2 }))
  )
  return StuckRequests.layer.pipe(Layer.provideMerge(Adapters.layerOver(environment, store)))
}

/**
 * How the store's secrets are sealed, where an operator should know: a key that does not open them stops the next
 * start.
 */
const secrets = Effect.gen(function*() {
  const { keys } = yield* SecretSealing
  const standing = yield* Effect.result(checkSecrets)
  if (Result.isSuccess(standing)) {
    const warning = warningOf(keys, standing.success)
    return { warnings: warning === undefined ? [] : [warning], refused: [] }
  }
  return standing.failure._tag === "SecretsKeyRefused"
    ? { warnings: [], refused: [standing.failure.message] }
    : yield* standing.failure
})

export const diagnose = Effect.fnUntraced(function*(since: Since) {
  const environment = yield* readEnvironment
  return yield* Effect.gen(function*() {
    return { ...(yield* reconcile(since)), ...(yield* secrets) }
  }).pipe(Effect.provide(layer(environment)))
})

/** The doctor's findings. */
export type Diagnosis = Effect.Success<ReturnType<typeof diagnose>>
