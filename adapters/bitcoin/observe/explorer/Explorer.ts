/**
 * An Esplora-compatible explorer: it says which transaction spends a coin, and which coins an address has. Nodes
 * cannot. It is a single service, so its answer is only a hint. Callers have nodes check the spender and the coins that
 * it names, or the coin that it calls unspent.
 *
 * Two ways to authenticate: an API key in the header `api-key`, or a token. A token is obtained with client credentials
 * (RFC 6749 §4.4) and kept until shortly before it expires. A refused token is renewed once.
 */
import { Clock, Effect, Redacted, Schema, Semaphore } from "effect"
import type { Scope } from "effect"
import { FeeRate } from "../../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import type { Coin } from "../../../../src/domain/families/bitcoin/spending/FundOutputs.ts"
import { Count, Hash } from "../../decode/NodeAnswers.ts"
import type { Ask, ExplorerFault } from "./ExplorerHttp.ts"
import { openHttp } from "./ExplorerHttp.ts"

export type ExplorerAccess =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Key"; readonly key: Redacted.Redacted }
  | {
    readonly _tag: "Credentials"
    readonly tokenUrl: Redacted.Redacted
    readonly clientId: Redacted.Redacted
    readonly clientSecret: Redacted.Redacted
  }

export interface ExplorerSettings {
  readonly url: Redacted.Redacted
  readonly access: ExplorerAccess
}

/** A coin as the explorer names it. */
export interface HintedCoin extends Coin {
  readonly isInBlock: boolean
}

export interface Explorer {
  /** Whether the explorer answers and accepts the credentials. Deadline in milliseconds. */
  readonly answers: (deadline: number) => Effect.Effect<boolean>
  /**
   * The id of the spending transaction, in a block or waiting. Undefined when the explorer knows of none. Deadline in
   * milliseconds.
   */
  readonly spenderOf: (
    coin: { readonly transactionId: string; readonly index: number },
    deadline: number
  ) => Effect.Effect<string | undefined, ExplorerFault>
  /** Its estimate for a transaction that should be in a block within so many. Undefined when it has none. */
  readonly rateWithin: (blocks: number, deadline: number) => Effect.Effect<FeeRate | undefined, ExplorerFault>
  /** The unspent outputs of an address, also those that wait. Deadline in milliseconds. */
  readonly coinsOf: (address: string, deadline: number) => Effect.Effect<ReadonlyArray<HintedCoin>, ExplorerFault>
}

/** Satoshi a virtual byte, by the number of blocks. More than the most that any transaction paid makes no sense. */
const Estimates = Schema.Record(
  Schema.String.check(Schema.isPattern(/^[1-9]\d{0,3}$/)),
  Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 }))
)
const decodeEstimates = Schema.decodeUnknownEffect(Estimates)

/** The estimate for the most blocks that are not more than those. */
const estimateWithin = (estimates: typeof Estimates.Type, blocks: number): FeeRate | undefined => {
  const known = Object.entries(estimates).map(([text, rate]) => ({ within: Number(text), rate }))
    .filter(({ within }) => within <= blocks).toSorted((one, other) => other.within - one.within)
  const [best] = known
  return best === undefined ? undefined : FeeRate(BigInt(Math.round(best.rate * 1_000)))
}

const Outspend = Schema.Union([
  Schema.Struct({ spent: Schema.Literal(true), txid: Hash }),
  Schema.Struct({ spent: Schema.Literal(false) })
])
const Utxos = Schema.Array(Schema.Struct({
  txid: Hash,
  vout: Count,
  value: Count,
  status: Schema.Struct({ confirmed: Schema.Boolean })
}))
const decodeUtxos = Schema.decodeUnknownEffect(Utxos)

const isHeight = Schema.is(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const decodeOutspend = Schema.decodeUnknownEffect(Outspend)

const Token = Schema.Struct({
  access_token: Schema.NonEmptyString.check(Schema.isPattern(/^[\x21-\x7e]+$/)),
  expires_in: Schema.Finite.check(Schema.isGreaterThan(0))
})
const decodeToken = Schema.decodeUnknownEffect(Token)

/** A token is renewed this many milliseconds before it expires, or when a tenth of its life is left. */
const MARGIN_MS = 30_000

type Headers = Readonly<Record<string, string>>

interface Access {
  readonly headers: (deadline: number) => Effect.Effect<Headers, ExplorerFault>
  /** True when a retry may help. Forgets the token that was last used. */
  readonly renew: Effect.Effect<boolean>
}

const fixed = (headers: Headers): Access => ({ headers: () => Effect.succeed(headers), renew: Effect.succeed(false) })

const tokenAccess = Effect.fnUntraced(function*(
  { clientId, clientSecret, tokenUrl }: Extract<ExplorerAccess, { _tag: "Credentials" }>
): Effect.fn.Return<Access, never, Scope.Scope> {
  const { origin, pathname, search } = new URL(Redacted.value(tokenUrl))
  const ask = yield* openHttp(origin)
  const one = yield* Semaphore.make(1)
  let held: { readonly text: string; readonly until: number } | undefined
  const exchange = Effect.fnUntraced(function*(deadline: number): Effect.fn.Return<string, ExplorerFault> {
    const now = yield* Clock.currentTimeMillis
    if (held !== undefined && now < held.until) return held.text
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      scope: "openid",
      client_id: Redacted.value(clientId),
      client_secret: Redacted.value(clientSecret)
    })
    const said = yield* ask({
      method: "POST",
      path: `${pathname}${search}`,
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: body.toString()
    }, deadline)
    const { access_token: text, expires_in: seconds } = yield* Effect.mapError(
      decodeToken(said),
      (): ExplorerFault => "refused"
    )
    const life = seconds * 1_000
    held = { text, until: now + life - Math.min(MARGIN_MS, life / 10) }
    return text
  })
  return {
    // Concurrent callers wait for the same token exchange.
    headers: (deadline) =>
      Effect.map(one.withPermits(1)(exchange(deadline)), (text) => ({ authorization: `Bearer ${text}` })),
    renew: Effect.sync(() => {
      held = undefined
      return true
    })
  }
})

const accessOf = (access: ExplorerAccess): Effect.Effect<Access, never, Scope.Scope> => {
  switch (access._tag) {
    case "Open":
      return Effect.succeed(fixed({}))
    case "Key":
      return Effect.succeed(fixed({ "api-key": Redacted.value(access.key) }))
    case "Credentials":
      return tokenAccess(access)
  }
}

/** The scope closes its connections. */
export const openExplorer = Effect.fnUntraced(
  function*({ access: how, url }: ExplorerSettings): Effect.fn.Return<Explorer, never, Scope.Scope> {
    const { origin, pathname } = new URL(Redacted.value(url))
    const base = pathname.replace(/\/+$/, "")
    const ask: Ask = yield* openHttp(origin)
    const access = yield* accessOf(how)
    const read = (path: string, deadline: number) =>
      Effect.flatMap(
        access.headers(deadline),
        (headers) => ask({ method: "GET", path: `${base}${path}`, headers }, deadline)
      )
    const get = (path: string, deadline: number): Effect.Effect<unknown, ExplorerFault> =>
      read(path, deadline).pipe(Effect.catch((fault) =>
        fault === "unauthorized"
          ? Effect.flatMap(access.renew, (again) => again ? read(path, deadline) : Effect.fail(fault))
          : Effect.fail(fault)
      ))
    return {
      answers: (deadline) =>
        Effect.match(get("/blocks/tip/height", deadline), {
          onSuccess: isHeight,
          onFailure: () => false
        }),
      spenderOf: ({ index, transactionId }, deadline) =>
        get(`/tx/${transactionId}/outspend/${index}`, deadline).pipe(
          Effect.flatMap((said) => Effect.mapError(decodeOutspend(said), (): ExplorerFault => "refused")),
          Effect.map((said) => said.spent ? said.txid : undefined)
        ),
      rateWithin: (blocks, deadline) =>
        get("/fee-estimates", deadline).pipe(
          Effect.flatMap((said) => Effect.mapError(decodeEstimates(said), (): ExplorerFault => "refused")),
          Effect.map((estimates) => estimateWithin(estimates, blocks))
        ),
      coinsOf: (address, deadline) =>
        get(`/address/${address}/utxo`, deadline).pipe(
          Effect.flatMap((said) => Effect.mapError(decodeUtxos(said), (): ExplorerFault => "refused")),
          Effect.map((said) =>
            said.map(({ status, txid, value, vout }) => ({
              transactionId: txid,
              index: vout,
              amount: BigInt(value),
              isInBlock: status.confirmed
            }))
          )
        )
    }
  }
)
