/**
 * Prices of Pyth's feeds over HTTP, by the interface of Hermes (`GET /v2/updates/price/latest`, PRICE-24).
 *
 * All feeds are asked for in one request, at most once a second, however many callers ask. Hermes refuses the whole
 * request for one feed that it does not have, or that the key may not read. Then each feed is asked for alone, and what
 * is refused alone is left out for ten minutes: one wrong id costs no other price.
 *
 * SECURITY: a price from here is one source's word, and outside of the local environment never enough (PRICE-19). The
 * key goes to the configured address only. Neither the address nor any text of an answer gets into a log or an error.
 */
import { Clock, Duration, Effect, Redacted, Schema } from "effect"
import type { Scope } from "effect"
import type { PriceSource } from "../../ports/market/PriceSources.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { observedPrice } from "../../src/domain/market/UncertainPrice.ts"
import type { UncertainPriceRule } from "../../src/domain/market/UncertainPrice.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { USD_PRICE_DIGITS } from "../../src/domain/money/Usd.ts"
import { makeHttpJson } from "../quorum/rpc/HttpJson.ts"
import type { HttpJson } from "../quorum/rpc/HttpJson.ts"

/** A feed of the value of one whole unit in dollars. */
export interface PythFeed extends UncertainPriceRule {
  readonly id: Hex32
}

/** A server that speaks Hermes' interface. */
export interface HermesServer {
  /** Base address, such as https://pyth.example/hermes. It may hold a provider's token. */
  readonly url: Redacted.Redacted
  /** Sent as `authorization: Bearer`. */
  readonly apiKey: Redacted.Redacted | undefined
}

const CACHE = Duration.seconds(1)
const LEFT_OUT_MS = 600_000
const APART_MS = 60_000
/** A quote waits no longer. */
const DEADLINE_MS = 3_000
/** Ids of one request: its address stays below four kilobytes. */
const MOST_IDS = 50

/** 64-bit numbers. A higher exponent has no meaning for a currency, and a lower one is beyond our digits. */
const Digits = Schema.String.check(Schema.isPattern(/^\d{1,20}$/))
const Exponent = Schema.Int.check(Schema.isBetween({ minimum: -USD_PRICE_DIGITS, maximum: 12 }))
const Update = Schema.Struct({
  id: Schema.String,
  price: Schema.Struct({ price: Digits, conf: Digits, expo: Exponent, publish_time: Schema.Int })
})
type Update = typeof Update.Type
const isUpdate = Schema.is(Update)
const isAnswer = Schema.is(Schema.Struct({ parsed: Schema.Array(Schema.Unknown) }))

/** `refused`: the server will not answer this question. `silent`: it answers nothing now. */
type Asked = ReadonlyArray<Update> | "refused" | "silent"

const withoutPrefix = (id: Hex32): string => id.slice(2).toLowerCase()

const pathOf = (ids: ReadonlyArray<Hex32>): string =>
  `/v2/updates/price/latest?${
    ids.map((id) => `ids%5B%5D=${withoutPrefix(id)}`).join("&")
  }&parsed=true&ignore_invalid_price_ids=true`

/** 401 and 429 are of the key and its quota, not of the ids. */
const isRefusal = (status: number): boolean => status === 400 || status === 403 || status === 404

const ask = (http: HttpJson, { apiKey }: HermesServer, ids: ReadonlyArray<Hex32>): Effect.Effect<Asked> =>
  http.call({
    method: "GET",
    path: pathOf(ids),
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${Redacted.value(apiKey)}` } })
  }, DEADLINE_MS).pipe(
    Effect.map(({ said, status }): Asked => {
      if (status !== 200) return isRefusal(status) ? "refused" : "silent"
      return isAnswer(said) ? said.parsed.filter(isUpdate) : "silent"
    }),
    Effect.orElseSucceed((): Asked => "silent")
  )

const statedBy = ({ price: { conf, expo, price, publish_time } }: Update) => ({
  price: BigInt(price),
  confidence: BigInt(conf),
  exponent: expo,
  at: publish_time
})

const chunksOf = (ids: ReadonlyArray<Hex32>): ReadonlyArray<ReadonlyArray<Hex32>> =>
  Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, nth) => ids.slice(nth * MOST_IDS, (nth + 1) * MOST_IDS))

/** The updates by their feed. Two of one feed contradict each other: neither counts. */
const byFeed = (ids: ReadonlyArray<Hex32>, updates: ReadonlyArray<Update>): ReadonlyMap<Hex32, Update> =>
  new Map(ids.flatMap((id) => {
    const [update, ...others] = updates.filter((each) => each.id.toLowerCase() === withoutPrefix(id))
    return update === undefined || others.length > 0 ? [] : [[id, update] as const]
  }))

/** One reading of all feeds. Remembers which ones the server refuses, and whether it answered the last time. */
const makeReader = (http: HttpJson, server: HermesServer, ids: ReadonlyArray<Hex32>) => {
  const leftOut = new Map<Hex32, number>()
  let answers = true
  let nextApart = 0
  /** At most once a minute: where the key itself is refused, asking for each feed is of no use. */
  const apart = Effect.fnUntraced(function*(refused: ReadonlyArray<Hex32>, now: number) {
    if (now < nextApart) return ["silent" as const]
    nextApart = now + APART_MS
    const asked = yield* Effect.forEach(refused, (id) => ask(http, server, [id]), { concurrency: 8 })
    if (asked.every((each) => typeof each === "string")) return ["silent" as const]
    const wrong = refused.filter((_, nth) => asked[nth] === "refused")
    for (const id of wrong) leftOut.set(id, now + LEFT_OUT_MS)
    if (wrong.length > 0) {
      yield* Effect.logWarning(
        `the price source over HTTP refuses feeds, and is asked again in ten minutes: ${wrong.join(", ")}`
      )
    }
    return asked.filter((each) => each !== "refused")
  })
  const together = Effect.fnUntraced(function*(chunk: ReadonlyArray<Hex32>, now: number) {
    const asked = yield* ask(http, server, chunk)
    return asked === "refused" ? yield* apart(chunk, now) : [asked]
  })
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const wanted = ids.filter((id) => (leftOut.get(id) ?? 0) <= now)
    const asked = (yield* Effect.forEach(chunksOf(wanted), (chunk) => together(chunk, now))).flat()
    const isSilent = asked.includes("silent")
    if (isSilent && answers) {
      yield* Effect.logWarning("the price source over HTTP gives no answer: see PYTH_HERMES_URL and PYTH_API_KEY")
    }
    answers = !isSilent
    return byFeed(wanted, asked.flatMap((each) => each === "silent" ? [] : each))
  })
}

/** `feedOf`: the feed of a currency, one of `feeds`. Undefined when it has none. The scope closes the connections. */
export const pythPrices = Effect.fnUntraced(function*(
  server: HermesServer,
  feeds: Iterable<PythFeed>,
  feedOf: (currency: Currency) => PythFeed | undefined
): Effect.fn.Return<PriceSource, never, Scope.Scope> {
  const http = yield* makeHttpJson(server.url)
  const ids = [...new Set([...feeds].map(({ id }) => id))]
  const latest = yield* Effect.cachedWithTTL(makeReader(http, server, ids), CACHE)
  const observe = Effect.fnUntraced(function*(feed: PythFeed) {
    const update = (yield* latest).get(feed.id)
    return update === undefined
      ? undefined
      : observedPrice(feed, statedBy(update), (yield* Clock.currentTimeMillis) / 1_000)
  })
  return {
    name: "pyth",
    observe: (currency) => {
      const feed = feedOf(currency)
      return feed === undefined ? Effect.succeed(undefined) : observe(feed)
    }
  }
})
