/**
 * One Tron node, by its base URL: receipts at `/jsonrpc`, everything else at `/wallet`, and its solidified state at
 * `/walletsolidity`. Each JSON-RPC call is its own request: not every provider accepts batches.
 *
 * SECURITY: a node answers `{}` for a missing item, and an `Error` with status 200 when it cannot tell.
 */
import { Context, Effect, Redacted } from "effect"
import type { Scope } from "effect"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { makeHttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { HttpAnswer } from "../../quorum/rpc/HttpJson.ts"
import { makeJsonRpc } from "../../quorum/rpc/JsonRpc.ts"
import type { RpcCall } from "../../quorum/rpc/JsonRpcPool.ts"
import { saysRateLimited, TOO_MANY_REQUESTS } from "../../quorum/rpc/RateLimited.ts"

type Ask = (method: string, asked: object, deadline: number) => Effect.Effect<unknown, ReadFault>

/** Deadlines in milliseconds. */
export interface TronNode {
  readonly jsonRpc: (
    calls: ReadonlyArray<RpcCall>,
    deadline: number
  ) => Effect.Effect<ReadonlyArray<unknown>, ReadFault>
  readonly wallet: Ask
  readonly solidity: Ask
}

/** The base of the configured URL. A URL that ends in `/jsonrpc` means the same node. */
const baseOf = (url: Redacted.Redacted): URL => {
  const base = new URL(Redacted.value(url))
  base.pathname = base.pathname.replace(/\/+$/, "").replace(/\/jsonrpc$/, "")
  return base
}

const isError = (said: unknown): said is { readonly Error: unknown } =>
  typeof said === "object" && said !== null && "Error" in said

/** A node that limits requests answers with status 200, and its providers with 403 (TRON-31). */
const isTooMany = ({ said, status }: HttpAnswer): boolean =>
  status === TOO_MANY_REQUESTS || (isError(said) && typeof said.Error === "string" && saysRateLimited(said.Error))

/** The path of Ethereum's methods. */
export const rpcUrlOf = (url: Redacted.Redacted): Redacted.Redacted => {
  const rpcUrl = baseOf(url)
  rpcUrl.pathname = `${rpcUrl.pathname.replace(/\/$/, "")}/jsonrpc`
  return Redacted.make(rpcUrl.href)
}

/** How a node at a URL is reached. The scope closes its connections. */
export type ConnectTron = (url: Redacted.Redacted) => Effect.Effect<TronNode, never, Scope.Scope>

const overHttp: ConnectTron = Effect.fnUntraced(
  function*(url: Redacted.Redacted): Effect.fn.Return<TronNode, never, Scope.Scope> {
    const base = baseOf(url)
    const http = yield* makeHttpJson(Redacted.make(base.href))
    const rpc = yield* makeJsonRpc(rpcUrlOf(url), { batches: false, parse: (text): unknown => JSON.parse(text) })
    const ask = (api: string): Ask => (method, asked, deadline) =>
      Effect.flatMap(
        http.call({ method: "POST", path: `/${api}/${method}${base.search}`, body: asked }, deadline),
        (answer): Effect.Effect<unknown, ReadFault> => {
          const { said, status } = answer
          if (isTooMany(answer)) return Effect.fail("over-quota")
          if (status !== 200 || isError(said)) {
            return Effect.fail("refused")
          }
          return said === undefined ? Effect.fail("undecodable") : Effect.succeed(said)
        }
      )
    return { jsonRpc: rpc.batch, wallet: ask("wallet"), solidity: ask("walletsolidity") }
  }
)

/** Over HTTP, unless a simulation has its nodes in memory. */
export const TronConnection = Context.Reference<ConnectTron>("causeway/adapters/tron/TronConnection", {
  defaultValue: () => overHttp
})

export const openTron: ConnectTron = (url) => Effect.flatMap(TronConnection, (connect) => connect(url))
