/**
 * One endpoint of exchange A: `/info`, `/explorer` and `/exchange` of the public Hyperliquid interface (EXCHANGEA-3), and
 * the proxy that is asked when the explorer's quota is used up.
 *
 * SECURITY: the proxy may answer in place of only one endpoint of a chain. It is one machine, and must not count as
 * several votes of the quorum.
 */
import { Effect, Redacted } from "effect"
import type { Scope } from "effect"
import { makeHttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { HttpAnswer } from "../../quorum/rpc/HttpJson.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"

/** A service with its own key. */
export interface KeyedService {
  readonly url: Redacted.Redacted
  readonly key: Redacted.Redacted | undefined
}

/** `user` is an account. Times in milliseconds. */
export type InfoQuestion =
  | { readonly type: "exchangeStatus" | "spotMeta" }
  | { readonly type: "userAbstraction" | "userRole" | "spotClearinghouseState"; readonly user: string }
  /** Perps. `dex`: "" is the exchange's own. */
  | { readonly type: "clearinghouseState"; readonly user: string; readonly dex: string }
  /** What the first transfer from `source` to `user` costs besides. */
  | { readonly type: "preTransferCheck"; readonly user: string; readonly source: string }
  | {
    readonly type: "userNonFundingLedgerUpdates"
    readonly user: string
    readonly startTime: number
    readonly endTime: number
  }

/** The body of /exchange. Its nonce repeats the action's. */
export interface SignedBody {
  readonly action: object
  readonly nonce: number
  readonly signature: { readonly r: string; readonly s: string; readonly v: number }
}

export interface ExchangeAClient {
  /** Deadlines in milliseconds, for one request. */
  readonly info: (asked: InfoQuestion, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** Fails with `over-quota` when neither the explorer nor its proxy can answer. */
  readonly transaction: (hash: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  /**
   * Submits a signed action: the answer's body, whatever the exchange says about it. A failure says nothing about
   * whether it was executed.
   */
  readonly submit: (signed: SignedBody, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** The newest transactions of an account. */
  readonly account: (user: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** All transactions of one block. */
  readonly block: (height: number, deadline: number) => Effect.Effect<unknown, ReadFault>
}

/** On the public hosts the explorer answers at `rpc.`, everything else at `api.`. */
const infoUrl = (url: Redacted.Redacted): Redacted.Redacted => {
  const target = new URL(Redacted.value(url))
  if (/^rpc\.hyperliquid(-testnet)?\.xyz$/.test(target.hostname)) {
    target.hostname = target.hostname.replace(/^rpc\./, "api.")
  }
  return Redacted.make(target.href, { label: "rpc-url" })
}

const textsOf = (said: unknown): string => {
  try {
    return JSON.stringify(said) ?? ""
  } catch {
    return ""
  }
}

const isOverQuota = ({ said, status }: HttpAnswer): boolean =>
  status === 429 || /more than 100 archived blocks/i.test(textsOf(said).slice(0, 4_096))

const successful = (answer: HttpAnswer): Effect.Effect<unknown, ReadFault> =>
  answer.status === 200 ? Effect.succeed(answer.said) : Effect.fail("refused")

/** The scope closes the connections. */
export const makeExchangeAClient = Effect.fnUntraced(
  function*(
    url: Redacted.Redacted,
    proxy: KeyedService | undefined
  ): Effect.fn.Return<ExchangeAClient, never, Scope.Scope> {
    const explorer = yield* makeHttpJson(url)
    const api = yield* makeHttpJson(infoUrl(url))
    const beside = proxy === undefined ? undefined : yield* makeHttpJson(proxy.url)
    const headers = proxy?.key === undefined ? {} : { "x-nft-api-key": Redacted.value(proxy.key) }
    const ask = (
      body: Readonly<Record<string, number | string>>,
      deadline: number
    ): Effect.Effect<unknown, ReadFault> =>
      Effect.flatMap(
        explorer.call({ method: "POST", path: "/explorer", body }, deadline),
        (answer) => isOverQuota(answer) ? Effect.fail("over-quota" as const) : successful(answer)
      )
    return {
      info: (body, deadline) => Effect.flatMap(api.call({ method: "POST", path: "/info", body }, deadline), successful),
      transaction: (hash, deadline) => {
        const body = { type: "txDetails", hash }
        return ask(body, deadline).pipe(
          Effect.catch((fault) =>
            fault === "over-quota" && beside !== undefined
              ? beside.call({ method: "POST", path: "", body, headers }, deadline).pipe(
                Effect.flatMap((answer) =>
                  isOverQuota(answer) ? Effect.fail("over-quota" as const) : successful(answer)
                ),
                Effect.mapError(() => "over-quota" as const)
              )
              : Effect.fail(fault)
          )
        )
      },
      submit: (body, deadline) =>
        Effect.flatMap(api.call({ method: "POST", path: "/exchange", body }, deadline), successful),
      account: (user, deadline) => ask({ type: "userDetails", user }, deadline),
      block: (height, deadline) => ask({ type: "blockDetails", height }, deadline)
    }
  }
)
