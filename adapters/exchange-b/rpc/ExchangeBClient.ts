/**
 * One endpoint of exchange B: the public Lighter interface and its explorer's logs (EXCHANGEB-1). Sends the API key
 * when one is set.
 */
import { Effect, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import { makeHttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { HttpAnswer, HttpJson } from "../../quorum/rpc/HttpJson.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"

export interface ExchangeBClient {
  /** The body of any answer, errors included. Deadlines in milliseconds, for one request. */
  readonly transaction: (hash: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** The newest logs of an account. */
  readonly logs: (account: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  readonly root: (deadline: number) => Effect.Effect<unknown, ReadFault>
  /** The exchange's list of assets. */
  readonly assets: (deadline: number) => Effect.Effect<unknown, ReadFault>
  /** Owner and balances of an account. The body of any answer, errors included. */
  readonly account: (index: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** The nonce that an API key uses next. */
  readonly nextNonce: (account: string, apiKey: number, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** What a transfer from the token's account to another one costs. */
  readonly transferFee: (from: TokenHolder, to: string, deadline: number) => Effect.Effect<unknown, ReadFault>
  /** A page of an account's executed transfers, newest first, without memos. `cursor`: of the page before. */
  readonly transfers: (
    of: TokenHolder,
    cursor: string | undefined,
    deadline: number
  ) => Effect.Effect<unknown, ReadFault>
  /**
   * The transactions that an account has sent, whatever became of them: newest first, at most 100, after `skipped` newer
   * ones.
   */
  readonly transactions: (of: TokenHolder, skipped: number, deadline: number) => Effect.Effect<unknown, ReadFault>
  /**
   * Submits a signed transfer, as the JSON text that clients send. The body of any answer: a refusal (status 400) was
   * not taken and has used no nonce. A failure says nothing about whether it was taken.
   */
  readonly submit: (transfer: string, deadline: number) => Effect.Effect<unknown, ReadFault>
}

/** An account and a token by which the exchange shows what it has done. */
export interface TokenHolder {
  readonly account: string
  readonly token: Redacted.Redacted
}

/** The exchange's number of a transfer. */
const TRANSFER_TYPE = "12"

/** The public explorer has its own host. */
const explorerUrl = (url: Redacted.Redacted): Redacted.Redacted => {
  const target = new URL(Redacted.value(url))
  if (target.hostname === "mainnet.zklighter.elliot.ai") target.hostname = "explorer.elliot.ai"
  return Redacted.make(target.href, { label: "rpc-url" })
}

/** The exchange has answered enough questions for now, by whatever status. */
const isTooMany = Schema.is(Schema.Struct({ code: Schema.Literal(23_000) }))

/** Its firewall answers this to an address that asks too much. */
const FIREWALL = 405

/** `barred` is done where the endpoint answers nothing for a while. */
const answered =
  (statuses: ReadonlyArray<number>, barred: Effect.Effect<void>) =>
  ({ said, status }: HttpAnswer): Effect.Effect<unknown, ReadFault> => {
    if (status === FIREWALL || isTooMany(said)) return Effect.andThen(barred, Effect.fail("over-quota" as const))
    if (statuses.includes(status)) return Effect.succeed(said)
    return Effect.fail(status === 429 ? "over-quota" : "refused")
  }

const query = (asked: Readonly<Record<string, string>>): string => new URLSearchParams(asked).toString()

/** The scope closes the connections. `barred`: what to do when the endpoint will answer no read for a minute. */
export const makeExchangeBClient = Effect.fnUntraced(
  function*(
    url: Redacted.Redacted,
    key: Redacted.Redacted | undefined,
    barred: Effect.Effect<void> = Effect.void
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
      Effect.flatMap(of.call({ method: "GET", path, headers }, deadline), answered(statuses, barred))
    const getAs = (holder: TokenHolder, path: string, deadline: number): Effect.Effect<unknown, ReadFault> =>
      Effect.flatMap(
        api.call(
          { method: "GET", path, headers: { ...headers, authorization: Redacted.value(holder.token) } },
          deadline
        ),
        answered([200], barred)
      )
    return {
      // An unknown transaction has status 400 or 404.
      transaction: (hash, deadline) =>
        get(api, `/api/v1/tx?by=hash&value=${encodeURIComponent(hash)}`, deadline, [200, 400, 404]),
      logs: (account, deadline) =>
        get(explorer, `/api/accounts/${encodeURIComponent(account)}/logs?limit=100`, deadline),
      root: (deadline) => get(api, "/", deadline),
      assets: (deadline) => get(api, "/api/v1/assetDetails", deadline),
      account: (value, deadline) =>
        get(api, `/api/v1/account?${query({ by: "index", value })}`, deadline, [200, 400, 404]),
      nextNonce: (account, apiKey, deadline) =>
        get(api, `/api/v1/nextNonce?${query({ account_index: account, api_key_index: `${apiKey}` })}`, deadline),
      transferFee: (from, to, deadline) =>
        getAs(
          from,
          `/api/v1/transferFeeInfo?${query({ account_index: from.account, to_account_index: to })}`,
          deadline
        ),
      transfers: (of, cursor, deadline) =>
        getAs(
          of,
          `/api/v1/transfer/history?${
            query({ account_index: of.account, ...(cursor === undefined ? {} : { cursor }) })
          }`,
          deadline
        ),
      transactions: (of, skipped, deadline) =>
        getAs(
          of,
          `/api/v1/accountTxs?${query({ by: "account_index", value: of.account, limit: "100", index: `${skipped}` })}`,
          deadline
        ),
      submit: (transfer, deadline) =>
        Effect.flatMap(
          api.call({
            method: "POST",
            path: "/api/v1/sendTx",
            headers,
            form: { tx_type: TRANSFER_TYPE, tx_info: transfer }
          }, deadline),
          // Counted apart from reads.
          answered([200, 400], Effect.void)
        )
    }
  }
)
