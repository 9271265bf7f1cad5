/**
 * GET /lives: the process runs. GET /ready: the current state of the store and each chain. 503 when no chain is served.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { NotReady } from "./HealthApi.ts"
import { makeReadiness } from "./Readiness.ts"
import { TransferApi } from "../TransferApi.ts"

export const layer = HttpApiBuilder.group(
  TransferApi,
  "health",
  Effect.fn(function*(handlers) {
    const readiness = yield* makeReadiness

    const ready = Effect.fn("http.ready")(function*() {
      const { chains, store } = yield* readiness
      const problems = [...new Set([...store, ...chains.flatMap((chain) => chain.problems)])]
      return store.length === 0 && chains.some(({ serves }) => serves)
        ? { status: "ready" as const, problems, chains }
        : yield* new NotReady({ status: "not ready", problems, chains })
    })

    return handlers.handleAll({ lives: () => Effect.succeed({ status: "ok" as const }), ready })
  })
)
