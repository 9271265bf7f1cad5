/** The doctor's look at the store and the chains that the environment names; an embedded store is read beside its owner. */
import { Effect, Layer } from "effect"
import { layerDatabase } from "../../../adapters/storage/engine/Database.ts"
import { checkMigrated } from "../../../adapters/storage/engine/Migrations.ts"
import { migrations } from "../../../adapters/storage/migrations/index.ts"
import type { Since } from "../../../src/domain/audit/LookedAt.ts"
import * as Reconciling from "../../../src/services/Reconciling.ts"
import * as ReconcilingBalances from "../../../src/services/ReconcilingBalances.ts"
import * as Stuck from "../../../src/services/Stuck.ts"
import * as Adapters from "../Adapters.ts"
import { readEnvironment } from "../Environment.ts"
import type { Environment } from "../Environment.ts"

const layer = (environment: Environment) => {
  const store = Layer.effectDiscard(checkMigrated(migrations)).pipe(
    Layer.provideMerge(layerDatabase(environment.databaseUrl, { readOnly: true, maxConnections: 2 }))
  )
  return Reconciling.layer.pipe(Layer.provide([Stuck.layer, ReconcilingBalances.layer]), Layer.provide(Adapters.layerOver(environment, store)))
}

export const diagnose = Effect.fnUntraced(function*(since: Since) {
  const environment = yield* readEnvironment
  return yield* Effect.flatMap(Reconciling.Reconciling, ({ reconcile }) => reconcile(since)).pipe(Effect.provide(layer(environment)))
})
