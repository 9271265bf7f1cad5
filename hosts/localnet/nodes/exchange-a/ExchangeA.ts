/**
 * A simulator of exchange A, as a scoped resource: the parts of the public Hyperliquid interface that deposits,
 * payments and withdrawals need (/exchange, /explorer, /info). One book behind any number of endpoints, and the proxy
 * for the quota.
 *
 * Real: signatures. What the unmodified SDK signs is verified, and no account can act for another. Nonces, the fee for
 * a new account, the purge of an empty one, and where an account's mode keeps its money are as the exchange documents
 * them. Everything else is ours: no consensus, no market, a block in each millisecond.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import { formatUnits } from "viem/utils"
import { ACTIVATION_FEE, Book } from "./node/Book.ts"
import type { ExplorerTransaction } from "./node/Book.ts"
import { USDC } from "./node/Token.ts"
import type { Token } from "./node/Token.ts"
import type { ExchangeFault } from "./node/Fault.ts"
import { serveJson } from "./node/JsonServer.ts"
import type { Answered, Asked } from "./node/JsonServer.ts"
import { readSignedAction } from "./node/SignedAction.ts"

export type { ExchangeFault } from "./node/Fault.ts"

export interface ExchangeAOptions {
  /** How many endpoints answer. Default 1. */
  readonly endpoints?: number
  /** Besides USDC. */
  readonly tokens?: ReadonlyArray<Token>
  readonly network?: "Mainnet" | "Testnet"
  /** The key that the proxy requires in `x-nft-api-key`. */
  readonly proxyKey?: string
}

export interface ServeOptions {
  readonly port?: number
  readonly network?: "Mainnet" | "Testnet"
  readonly fault?: () => ExchangeFault | undefined
}

export interface ExchangeA {
  readonly urls: ReadonlyArray<string>
  readonly proxyUrl: string
  /** The book behind the interface: balances to set, the clock, transactions. */
  readonly book: Book
  /** How often the proxy was asked. */
  readonly proxied: () => number
  /** The faults of the endpoints from now on, in order. An endpoint without one works again. */
  readonly misbehave: (...faults: ReadonlyArray<ExchangeFault | undefined>) => Effect.Effect<void>
}

/** A ledger's answer has at most so many entries, the oldest of its range. */
const LEDGER_PAGE = 500

/** The explorer lists so many transactions of an account, the newest. */
const LISTED = 300

/** The explorer's body when its quota is used up. */
export const QUOTA_BODY = { type: "error", message: "Queried more than 100 archived blocks in a day" }

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined

const textAt = (value: unknown, name: string): string => {
  const member = memberOf(value, name)
  return typeof member === "string" ? member : ""
}

const usdText = (wei: bigint): string => formatUnits(wei, USDC.weiDecimals)

const ledgerUpdate = ({ action, fee = 0n, hash, time, user }: ExplorerTransaction) => {
  const shared = { user, destination: textAt(action, "destination"), fee: usdText(fee) }
  const delta = textAt(action, "type") === "usdSend"
    ? { type: "internalTransfer", usdc: textAt(action, "amount"), ...shared }
    : {
      type: "send",
      nonce: memberOf(action, "nonce"),
      token: textAt(action, "token").split(":")[0],
      amount: textAt(action, "amount"),
      sourceDex: textAt(action, "sourceDex"),
      destinationDex: textAt(action, "destinationDex"),
      usdcValue: "0.0",
      nativeTokenFee: "0.0",
      feeToken: "USDC",
      ...shared
    }
  return { time, hash, delta }
}

/** A mode that was set is in no ledger. */
const isTransfer = ({ action }: ExplorerTransaction): boolean => textAt(action, "type") !== "userSetAbstraction"

const explorer = (book: Book, body: unknown): unknown => {
  switch (textAt(body, "type")) {
    case "txDetails": {
      const tx = book.transaction(textAt(body, "hash"))
      return tx === undefined ? { type: "error", message: "Transaction not found" } : { type: "txDetails", tx }
    }
    case "userDetails":
      return { type: "userDetails", txs: book.ofAccount(textAt(body, "user")).slice(0, LISTED) }
    case "blockDetails": {
      const blockDetails = book.block(Number(memberOf(body, "height")))
      return blockDetails === undefined
        ? { type: "error", message: "Block not found" }
        : { type: "blockDetails", blockDetails }
    }
    default:
      return { type: "error", message: "unknown request" }
  }
}

const info = (book: Book, body: unknown): unknown => {
  switch (textAt(body, "type")) {
    case "exchangeStatus":
      return { time: book.now(), specialStatuses: null }
    case "spotMeta":
      return {
        universe: [],
        tokens: book.tokens.map((token, index) => ({
          ...token,
          szDecimals: 2,
          index,
          isCanonical: true,
          evmContract: null,
          fullName: null,
          deployerTradingFeeShare: "0.0"
        }))
      }
    case "userNonFundingLedgerUpdates": {
      const user = textAt(body, "user").toLowerCase()
      const [from, to] = [
        Number(memberOf(body, "startTime") ?? 0),
        Number(memberOf(body, "endTime") ?? Number.POSITIVE_INFINITY)
      ]
      return book.all().filter((tx) =>
        isTransfer(tx) && tx.error === null && tx.time >= from && tx.time <= to &&
        [tx.user, textAt(tx.action, "destination").toLowerCase()].includes(user)
      ).slice(0, LEDGER_PAGE).map(ledgerUpdate)
    }
    case "preTransferCheck": {
      const user = textAt(body, "user").toLowerCase()
      const userExists = book.exists(user)
      return {
        fee: usdText(userExists ? 0n : ACTIVATION_FEE),
        isSanctioned: false,
        userExists,
        userHasSentTx: book.ofAccount(user).length > 0
      }
    }
    case "spotClearinghouseState":
      return {
        balances: book.holdings(textAt(body, "user"), "spot").flatMap(({ amount, token }, index) =>
          amount === 0n ? [] : [{
            coin: token.name,
            token: index,
            total: formatUnits(amount, token.weiDecimals),
            hold: "0.0",
            entryNtl: "0.0"
          }]
        )
      }
    case "clearinghouseState": {
      const value = usdText(book.balance(textAt(body, "user"), textAt(body, "dex")))
      const summary = { accountValue: value, totalNtlPos: "0.0", totalRawUsd: value, totalMarginUsed: "0.0" }
      return {
        marginSummary: summary,
        crossMarginSummary: summary,
        crossMaintenanceMarginUsed: "0.0",
        withdrawable: value,
        assetPositions: [],
        time: book.now()
      }
    }
    case "userAbstraction":
      return book.mode(textAt(body, "user"))
    case "userRole":
      return { role: "user" }
    default:
      throw new Error("unknown request")
  }
}

const answering = (book: Book, network: "Mainnet" | "Testnet") => async ({ text, url }: Asked): Promise<Answered> => {
  const body: unknown = JSON.parse(text)
  if (url.pathname === "/exchange") {
    const error = await readSignedAction(body, network).then(
      (action) => book.submit(action),
      (cause: unknown) => String(cause)
    )
    return {
      question: "exchange",
      status: 200,
      body: error === undefined ? { status: "ok", response: { type: "default" } } : { status: "err", response: error }
    }
  }
  const question = textAt(body, "type")
  if (url.pathname === "/explorer") return { question, status: 200, body: explorer(book, body) }
  if (url.pathname === "/info") return { question, status: 200, body: info(book, body) }
  return { question: "", status: 404, body: null }
}

/** One endpoint over the book, on that port or any free one. Returns its URL. */
export const serve = (
  book: Book,
  { fault = () => undefined, network = "Mainnet", port }: ServeOptions = {}
): Effect.Effect<string, never, Scope.Scope> => serveJson(answering(book, network), fault, port)

/** Starts an exchange that answers. All endpoints share one book. */
export const start = Effect.fn("ExchangeA.start")(
  function*(options: ExchangeAOptions = {}): Effect.fn.Return<ExchangeA, never, Scope.Scope> {
    const usdc = new Book().tokens
    const book = new Book([...usdc, ...options.tokens ?? []])
    let faults: ReadonlyArray<ExchangeFault | undefined> = []
    const urls = yield* Effect.forEach(Array.from({ length: options.endpoints ?? 1 }), (_, index) =>
      serve(book, {
        ...(options.network === undefined ? {} : { network: options.network }),
        fault: () => faults[index]
      }))
    let asked = 0
    const proxyUrl = yield* serveJson(async ({ headers, text }) => {
      asked += 1
      if (headers["x-nft-api-key"] !== (options.proxyKey ?? "proxy-key")) {
        return { question: "proxy", status: 401, body: null }
      }
      return { question: "proxy", status: 200, body: explorer(book, JSON.parse(text)) }
    }, () => undefined)
    return {
      urls,
      proxyUrl,
      book,
      proxied: () => asked,
      misbehave: (...next) =>
        Effect.sync(() => {
          faults = next
        })
    }
  }
)

export const ExchangeA = { start } as const
