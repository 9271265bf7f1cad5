/**
 * One endpoint of exchange B: the public Lighter interface and its explorer's logs (EXCHANGEB-1). Sends the API key
 * when one is set.
 */
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { makeHttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { HttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"

export interface ExchangeBClient {
  /** The body of any answer, errors included. Deadlines in milliseconds, for one request. */
  readonly transaction: (hash: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** The newest logs of an account. */
  readonly logs: (account: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  readonly root: (deadline: number) => Effect.Effect<unknown, ReadFault>
  /** The exchange's list of assets. */
  readonly assets: (deadline: number) => Effect.Effect<unknown, ReadFault>
}

/** The public explorer has its own host. */
const explorerUrl = (url: Redacted.Redacted): Redacted.Redacted => {
  const target = new URL(Redacted.value(url))
  if (target.hostname === "mainnet.zklighter.elliot.ai") target.hostname = "explorer.elliot.ai"
  return Redacted.make(target.href, { label: "rpc-url" })
}

/** The scope closes the connections. */
export const makeExchangeBClient = Effect.fnUntraced(
  function*(
    url: Redacted.Redacted,
    key: Redacted.Redacted | undefined
  ): Effect.fn.Return<ExchangeBClient, never, Scope.Scope> {
    const api = yield* makeHttpJson(url)
    const explorer = yield* makeHttpJson(explorerUrl(url))
    const headers = key === undefined ? {} : { "x-api-key": Redacted.value(key) }
    const get = (
      of: HttpJson,
      path: string,
      deadline: number,
      statuses: ReadonlyArray<number> = [200]
    ): Effect.Effect<unknown, ReadFault> =>
      Effect.flatMap(
        of.call({ method: "GET", path, headers }, deadline),
        ({ said, status }): Effect.Effect<unknown, ReadFault> =>
          statuses.includes(status) ? Effect.succeed(said) : Effect.fail(status === 429 ? "over-quota" : "refused")
      )
    return {
      // An unknown transaction has status 400 or 404.
      transaction: (hash, deadline) =>
        get(api, `/api/v1/tx?by=hash&value=${encodeURIComponent(hash)}`, deadline, [200, 400, 404]),
      logs: (account, deadline) =>
        get(explorer, `/api/accounts/${encodeURIComponent(account)}/logs?limit=100`, deadline),
      root: (deadline) => get(api, "/", deadline),
      assets: (deadline) => get(api, "/api/v1/assetDetails", deadline)
    }
  }
)
