/**
 * Requests to one HTTP service over kept-alive connections, each with a deadline. Follows no redirect, and reads only
 * as many bytes as a small answer has. SECURITY: error answers and the service's address never leave this file.
 */
import { Context, Effect } from "effect"
import type { Scope } from "effect"
import { Pool } from "undici"

const MAX_ANSWER_BYTES = 256 * 1024

export type ExplorerFault = "timeout" | "unreachable" | "refused" | "unauthorized"

export interface Asked {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The JSON of an answer with status 200. */
export type Ask = (asked: Asked, deadline: number) => Effect.Effect<unknown, ExplorerFault>

const UNAUTHORIZED = new Set([401, 403])

/** How a service at an origin is reached. The scope closes its connections. */
export type ConnectHttp = (origin: string) => Effect.Effect<Ask, never, Scope.Scope>

const overHttp: ConnectHttp = Effect.fnUntraced(function*(origin: string): Effect.fn.Return<Ask, never, Scope.Scope> {
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool(origin, { maxResponseSize: MAX_ANSWER_BYTES })),
    (opened) => Effect.promise(() => opened.destroy())
  )
  return ({ body, headers, method, path }, deadline) =>
    Effect.tryPromise({
      try: async (signal): Promise<ExplorerFault | { readonly said: unknown }> => {
        const answer = await pool.request({ method, path, headers, signal, body: body ?? null })
        if (answer.statusCode === 200) return { said: await answer.body.json() }
        await answer.body.dump()
        return UNAUTHORIZED.has(answer.statusCode) ? "unauthorized" : "refused"
      },
      catch: (cause): ExplorerFault => cause instanceof SyntaxError ? "refused" : "unreachable"
    }).pipe(
      Effect.flatMap((answered) =>
        typeof answered === "string" ? Effect.fail(answered) : Effect.succeed(answered.said)
      ),
      Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.fail("timeout" as const) })
    )
})

/** Over HTTP, unless a simulation has its explorer in memory. */
export const ExplorerConnection = Context.Reference<ConnectHttp>("causeway/adapters/bitcoin/ExplorerConnection", {
  defaultValue: () => overHttp
})

export const openHttp: ConnectHttp = (origin) => Effect.flatMap(ExplorerConnection, (connect) => connect(origin))
