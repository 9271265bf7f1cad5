/**
 * A simulator of exchange B, as a scoped resource: the parts of the public Lighter interface that transfers need
 * (accounts, nonces, fees, sendTx, tx, an account's lists, the explorer's logs, the time). One state behind any number
 * of endpoints.
 *
 * Real: L1 signatures. The text that the sender's Ethereum account signs is verified. Balances, fees, nonces and limits
 * are kept. The rollup and the signatures of API keys are not simulated.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { ExchangeFault } from "../exchange-a/node/Fault.ts"
import { serveJson } from "../exchange-a/node/JsonServer.ts"
import type { Answered, Asked } from "../exchange-a/node/JsonServer.ts"
import {
  accountOf,
  assetsOf,
  isExecuted,
  listedTransaction,
  listedTransfer,
  logOf,
  PAGE,
  sequenceOf,
  transactionOf
} from "./node/Shown.ts"
import { Refusal, State } from "./node/State.ts"
import type { Sent } from "./node/State.ts"
import { mayRead } from "./node/Token.ts"

const MINUTE_MS = 60_000

export interface ExchangeBOptions {
  readonly endpoints?: number
  /** The key that endpoints require in `x-api-key`. Default: none. */
  readonly key?: string
  /** Requests that each endpoint answers in a minute of this machine's clock. Default: any number. */
  readonly perMinute?: number
}

export interface ServeOptions {
  readonly perMinute?: number
  readonly port?: number
  readonly key?: string
  readonly fault?: () => ExchangeFault | undefined
}

export interface ExchangeB {
  readonly urls: ReadonlyArray<string>
  /** Opens an account for this Ethereum account. */
  readonly open: (index: number, l1: string) => void
  readonly credit: (index: number, asset: number, route: number, amount: number) => void
  readonly balance: (index: number, asset: number, route: number) => number
  /** What a transfer to another owner costs from now on, in smallest units of USDC. */
  readonly charge: (transferFee: number) => void
  /** The least that may be transferred to another owner from now on, smallest units of the asset. */
  readonly ask: (asset: number, least: number) => void
  /** The exchange's number of an account's kind: 0 unless set. */
  readonly make: (index: number, kind: number) => void
  /** Whether perps and spot of the account are one balance: as master accounts are opened by now. */
  readonly unify: (index: number, unified: boolean) => void
  readonly sent: () => ReadonlyArray<Sent>
  /** From now on transfers are held, until a test executes, rejects or drops them. */
  readonly hold: (held: boolean) => void
  readonly settle: (hash: string, status: number) => void
  /** Forgets a held transfer: the sequencer never took it, and its nonce is free again. */
  readonly drop: (hash: string) => void
  /** Milliseconds: this machine's clock, plus what tests have added. */
  readonly now: () => number
  readonly pass: (milliseconds: number) => void
  /** The faults of the endpoints from now on, in order. An endpoint without one works again. */
  readonly misbehave: (...faults: ReadonlyArray<ExchangeFault | undefined>) => Effect.Effect<void>
}

const ok = (question: string, body: object): Answered => ({ question, status: 200, body })
const refused = (question: string, error: unknown): Answered => ({
  question,
  status: 400,
  body: error instanceof Refusal
    ? { code: error.code, message: error.message }
    : { code: 20_001, message: String(error) }
})

/** Whether one more request may be answered now. */
const limiter = (perMinute: number | undefined) => {
  let answered: ReadonlyArray<number> = []
  return (now: number): boolean => {
    if (perMinute === undefined) return true
    answered = answered.filter((at) => at > now - MINUTE_MS)
    if (answered.length >= perMinute) return false
    answered = [...answered, now]
    return true
  }
}

/** An account's own, newest first. */
const ofAccount = ({ sent }: State, account: number): ReadonlyArray<Sent> =>
  sent.filter(({ info }) => info.FromAccountIndex === account || info.ToAccountIndex === account).toReversed()

/** A page of executed transfers, below the sequence at which the one before ended. */
const transfersPage = (state: State, account: number, cursor: string | null) => {
  const below = cursor === null || cursor === "" ? Infinity : Number(cursor)
  const listed = ofAccount(state, account).filter((each) => isExecuted(each) && sequenceOf(each) < below)
  const page = listed.slice(0, PAGE)
  const last = page.at(-1)
  return {
    code: 200,
    transfers: page.map(listedTransfer(account, state.owners)),
    cursor: last === undefined || listed.length === page.length ? "" : `${sequenceOf(last)}`
  }
}

/** The questions that only the holder of a token for the account is answered. Undefined for other paths. */
const answeringHolder = (state: State, { headers, url }: Asked): Answered | undefined => {
  const question = ["transferFeeInfo", "transfer/history", "accountTxs"].find((each) =>
    url.pathname === `/api/v1/${each}`
  )
  if (question === undefined) return undefined
  const asked = url.searchParams
  const account = Number(asked.get(question === "accountTxs" ? "value" : "account_index") ?? Number.NaN)
  if (!mayRead(asked.get("auth") ?? headers.authorization, account, state.now())) {
    return refused(question, new Refusal(20_013, "invalid auth"))
  }
  switch (question) {
    case "transferFeeInfo":
      return ok(question, {
        code: 200,
        transfer_fee_usdc: state.feeOf(account, Number(asked.get("to_account_index") ?? Number.NaN))
      })
    case "transfer/history":
      return ok(question, transfersPage(state, account, asked.get("cursor")))
    default: {
      const own = state.sent.filter(({ info }) => info.FromAccountIndex === account).toReversed()
      const limit = Math.min(PAGE, Number(asked.get("limit") ?? PAGE))
      const skipped = Number(asked.get("index") ?? 0)
      return ok(question, { code: 200, txs: own.slice(skipped, skipped + limit).map(listedTransaction) })
    }
  }
}

const answeringAnyone = async (state: State, { text, url }: Asked): Promise<Answered> => {
  const asked = url.searchParams
  switch (url.pathname) {
    case "/":
      return ok("root", { status: 200, network_id: 1, timestamp: Math.floor(state.now() / 1_000) })
    case "/api/v1/assetDetails":
      return ok("assetDetails", { code: 200, asset_details: assetsOf(state) })
    case "/api/v1/account": {
      const index = Number(asked.get("value") ?? Number.NaN)
      return state.owners.has(index)
        ? ok("account", { code: 200, total: 1, accounts: [accountOf(state, index)] })
        : refused("account", new Refusal(21_100, "account not found"))
    }
    // Not of the public interface: an account is opened by a deposit on the exchange's Ethereum contract.
    case "/simulator/open":
      return ok("open", { code: 200, account_index: state.openNext(asked.get("l1_address") ?? "") })
    case "/api/v1/nextNonce": {
      const [of, apiKey] = [Number(asked.get("account_index")), Number(asked.get("api_key_index"))]
      return ok("nextNonce", {
        code: 200,
        account_index: of,
        api_key_index: apiKey,
        nonce: state.nextNonce(of, apiKey)
      })
    }
    case "/api/v1/tx": {
      const found = state.sent.find(({ hash }) => hash === asked.get("value")?.toLowerCase())
      return found === undefined
        ? refused("tx", new Refusal(21_500, "transaction not found"))
        : ok("tx", transactionOf(found))
    }
    case "/api/v1/sendTx":
      return state.take(new URLSearchParams(text).get("tx_info") ?? "").then(
        ({ hash }) => ok("sendTx", { code: 200, tx_hash: hash, predicted_execution_time_ms: 1 }),
        (error: unknown) => refused("sendTx", error)
      )
    default:
      return { question: "", status: 404, body: { code: 404, message: "no such path" } }
  }
}

/** Paths that clients ask for without an endpoint's key. */
const open = ["/api/v1/sendTx", "/api/v1/nextNonce"]

const answering = (state: State, { key, perMinute }: ServeOptions) => {
  const hasRoom = limiter(perMinute)
  return async (asked: Asked): Promise<Answered> => {
    const { headers, url } = asked
    if (key !== undefined && !open.includes(url.pathname) && headers["x-api-key"] !== key) {
      return { question: "", status: 403, body: { code: 403, message: "no key" } }
    }
    if (!hasRoom(Date.now())) {
      return { question: "", status: 429, body: { code: 23_000, message: "Too Many Requests!" } }
    }
    const account = /^\/api\/accounts\/(\d+)\/logs$/.exec(url.pathname)?.[1]
    if (account !== undefined) {
      return { ...ok("logs", {}), body: ofAccount(state, Number(account)).slice(0, 100).map(logOf) }
    }
    return answeringHolder(state, asked) ?? await answeringAnyone(state, asked)
  }
}

/** One endpoint over the state, on that port or any free one. Returns its URL. */
export const serve = (
  state: State,
  options: ServeOptions = {}
): Effect.Effect<string, never, Scope.Scope> =>
  serveJson(answering(state, options), options.fault ?? (() => undefined), options.port)

/** Starts an exchange that answers. */
export const start = Effect.fn("ExchangeB.start")(
  function*(options: ExchangeBOptions = {}): Effect.fn.Return<ExchangeB, never, Scope.Scope> {
    const state = new State()
    let faults: ReadonlyArray<ExchangeFault | undefined> = []
    const urls = yield* Effect.forEach(Array.from({ length: options.endpoints ?? 1 }), (_, index) =>
      serve(state, {
        ...(options.key === undefined ? {} : { key: options.key }),
        ...(options.perMinute === undefined ? {} : { perMinute: options.perMinute }),
        fault: () => faults[index]
      }))
    return {
      urls,
      open: (index, l1) => state.open(index, l1),
      credit: (index, asset, route, amount) => state.credit(index, asset, route, amount),
      balance: (index, asset, route) => state.balance(index, asset, route),
      charge: (transferFee) => {
        state.transferFee = transferFee
      },
      ask: (asset, least) => void state.leasts.set(asset, least),
      make: (index, kind) => void state.kinds.set(index, kind),
      unify: (index, unified) => state.unify(index, unified),
      sent: () => state.sent,
      hold: (held) => {
        state.held = held
      },
      settle: (hash, status) => state.settle(hash, status),
      drop: (hash) => state.drop(hash),
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
