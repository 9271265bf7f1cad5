/** GET /lives: the process runs. GET /ready: the store and every chain answer now, and none is halted. */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { HttpApiBuilder } from "effect/http-api"
import { Chains } from "../../../ports/Chains.ts"
import { DepositWatcher } from "../../../ports/DepositWatcher.ts"
import { haltOf } from "../../../src/domain/pause/Pause.ts"
import { Pausing } from "../../../src/services/Pausing.ts"
import { NotReady } from "../api/HealthApi.ts"
import { TransferApi } from "../api/TransferApi.ts"

const problemOf = (name: string) => <A, E, R>(check: Effect.Effect<A, E, R>): Effect.Effect<string | undefined, never, R> =>
  check.pipe(
    Effect.timeout("3 seconds"),
    Effect.result,
    Effect.map((result) => Result.isFailure(result) ? `${name} does not answer` : undefined)
  )

export const layer = HttpApiBuilder.group(TransferApi, "health", Effect.fn(function*(handlers) {
  const chains = yield* Chains
  const watcher = yield* DepositWatcher
  const pausing = yield* Pausing
  const sql = yield* SqlClient.SqlClient

  const ready = Effect.fn("http.ready")(function*() {
    const found = yield* Effect.all([
      problemOf("the store")(sql`SELECT 1 AS one`),
      ...chains.all.map((chain) => problemOf(`chain ${chain.slug}`)(watcher.head(chain)))
    ], { concurrency: "unbounded" })
    // A store that does not answer is a problem already.
    const pauses = yield* Effect.orElseSucceed(pausing.all, () => [])
    const halted = chains.all.filter(({ id }) => haltOf(pauses, id) !== undefined).map(({ id, slug }) => `chain ${slug} is halted: resume halt:${id}`)
    const problems = [...found.filter((problem) => problem !== undefined), ...halted]
    return problems.length === 0
      ? { status: "ready" as const }
      : yield* new NotReady({ status: "not ready", problems })
  })

  return handlers.handleAll({ lives: () => Effect.succeed({ status: "ok" as const }), ready })
}))
