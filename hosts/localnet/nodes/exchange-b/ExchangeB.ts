/**
 * A simulator of exchange B, as a scoped resource: the parts of the public Lighter interface that transfers need
 * (nextNonce, sendTx, tx, the explorer's logs, the time). One state behind any number of endpoints.
 *
 * Real: L1 signatures. The text that the sender's Ethereum account signs is verified. Balances and nonces are kept. The
 * rollup, its own signatures and its fees are not simulated.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { ExchangeFault } from "../exchange-a/node/Fault.ts"
import { serveJson } from "../exchange-a/node/JsonServer.ts"
import type { Answered, Asked } from "../exchange-a/node/JsonServer.ts"
import { EXECUTED, FAILED, PENDING, REJECTED, State } from "./node/State.ts"
import type { Sent } from "./node/State.ts"

const TRANSFER = 12

export interface ExchangeBOptions {
  readonly endpoints?: number
  /** The key that endpoints require in `x-api-key`. Default: none. */
  readonly key?: string
}

export interface ServeOptions {
  readonly port?: number
  readonly key?: string
  readonly fault?: () => ExchangeFault | undefined
}

export interface ExchangeB {
  readonly urls: ReadonlyArray<string>
  /** Opens an account for this Ethereum account. */
  readonly open: (index: number, l1: string) => void
  readonly credit: (index: number, asset: number, route: number, amount: number) => void
  readonly sent: () => ReadonlyArray<Sent>
  /** From now on transfers are held, until a test executes or rejects them. */
  readonly hold: (held: boolean) => void
  readonly settle: (hash: string, status: number) => void
  /** Milliseconds: this machine's clock, plus what tests have added. */
  readonly now: () => number
  readonly pass: (milliseconds: number) => void
  /** The faults of the endpoints from now on, in order. An endpoint without one works again. */
  readonly misbehave: (...faults: ReadonlyArray<ExchangeFault | undefined>) => Effect.Effect<void>
}

const wordOf: Readonly<Record<number, string>> = {
  [PENDING]: "pending",
  [EXECUTED]: "executed",
  3: "executed",
  [FAILED]: "failed",
  [REJECTED]: "rejected"
}

const transactionOf = ({ hash, height, info, queuedAt, status, text }: Sent) => ({
  code: 200,
  hash,
  type: TRANSFER,
  info: text,
  event_info: "{}",
  status,
  transaction_index: 0,
  l1_address: "",
  account_index: info.FromAccountIndex,
  nonce: info.Nonce,
  expire_at: info.ExpiredAt,
  block_height: height,
  queued_at: queuedAt,
  executed_at: queuedAt,
  sequence_index: height,
  parent_hash: ""
})

const logOf = ({ hash, info, queuedAt, status }: Sent) => ({
  tx_type: "L2Transfer",
  hash,
  time: new Date(queuedAt).toISOString(),
  pubdata_type: "L2TransferV2",
  status: wordOf[status] ?? "unknown",
  pubdata: {
    l2_transfer_pubdata_v2: {
      from_account_index: `${info.FromAccountIndex}`,
      to_account_index: `${info.ToAccountIndex}`,
      asset_index: `${info.AssetIndex}`,
      amount: `${info.Amount}`
    }
  }
})

const ok = (question: string, body: unknown): Answered => ({ question, status: 200, body })
const refused = (question: string, message: string): Answered => ({
  question,
  status: 400,
  body: { code: 21_000, message }
})

const answering =
  (state: State, key: string | undefined) => async ({ headers, text, url }: Asked): Promise<Answered> => {
    if (
      key !== undefined && url.pathname !== "/api/v1/sendTx" && url.pathname !== "/api/v1/nextNonce" &&
      headers["x-api-key"] !== key
    ) return { question: "", status: 403, body: { code: 403, message: "no key" } }
    const account = /^\/api\/accounts\/(\d+)\/logs$/.exec(url.pathname)?.[1]
    if (account !== undefined) {
      const of = state.sent.filter(({ info }) => [info.FromAccountIndex, info.ToAccountIndex].includes(Number(account)))
      return ok("logs", of.toReversed().slice(0, 100).map(logOf))
    }
    switch (url.pathname) {
      case "/":
        return ok("root", { status: 200, network_id: 1, timestamp: Math.floor(state.now() / 1_000) })
      case "/api/v1/assetDetails":
        return ok("assetDetails", {
          code: 200,
          asset_details: [{ asset_id: 1, symbol: "ETH", l1_decimals: 18, decimals: 8 }, {
            asset_id: 3,
            symbol: "USDC",
            l1_decimals: 6,
            decimals: 6
          }]
        })
      case "/api/v1/nextNonce": {
        const [of, apiKey] = [
          Number(url.searchParams.get("account_index")),
          Number(url.searchParams.get("api_key_index"))
        ]
        return ok("nextNonce", {
          code: 200,
          account_index: of,
          api_key_index: apiKey,
          nonce: state.nextNonce(of, apiKey)
        })
      }
      case "/api/v1/tx": {
        const found = state.sent.find(({ hash }) => hash === url.searchParams.get("value")?.toLowerCase())
        return found === undefined ? refused("tx", "transaction not found") : ok("tx", transactionOf(found))
      }
      case "/api/v1/sendTx":
        return state.take(new URLSearchParams(text).get("tx_info") ?? "").then(
          ({ hash }) => ok("sendTx", { code: 200, tx_hash: hash, predicted_execution_time_ms: 1 }),
          (error: unknown) => refused("sendTx", String(error))
        )
      default:
        return { question: "", status: 404, body: { code: 404, message: "no such path" } }
    }
  }

/** One endpoint over the state, on that port or any free one. Returns its URL. */
export const serve = (
  state: State,
  { fault = () => undefined, key, port }: ServeOptions = {}
): Effect.Effect<string, never, Scope.Scope> => serveJson(answering(state, key), fault, port)

/** Starts an exchange that answers. */
export const start = Effect.fn("ExchangeB.start")(
  function*(options: ExchangeBOptions = {}): Effect.fn.Return<ExchangeB, never, Scope.Scope> {
    const state = new State()
    let faults: ReadonlyArray<ExchangeFault | undefined> = []
    const urls = yield* Effect.forEach(Array.from({ length: options.endpoints ?? 1 }), (_, index) =>
      serve(state, {
        ...(options.key === undefined ? {} : { key: options.key }),
        fault: () => faults[index]
      }))
    return {
      urls,
      open: (index, l1) => state.open(index, l1),
      credit: (index, asset, route, amount) => state.credit(index, asset, route, amount),
      sent: () => state.sent,
      hold: (held) => {
        state.held = held
      },
      settle: (hash, status) => {
        const waiting = state.sent.find((each) => each.hash === hash)
        if (waiting === undefined) return
        waiting.status =
          (status === EXECUTED || status === 3) && waiting.status === PENDING && !state.move(waiting.info)
            ? FAILED
            : status
      },
      now: () => state.now(),
      pass: (milliseconds) => {
        state.offset += milliseconds
      },
      misbehave: (...next) =>
        Effect.sync(() => {
          faults = next
        })
    }
  }
)

export const ExchangeB = { start } as const
