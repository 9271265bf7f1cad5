/** Pyth's prices at the wire: which answers become a price, and what a server that fails or lies can cost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted } from "effect"
import type { Scope } from "effect"
import { TestClock } from "effect/testing"
import { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../src/domain/encoding/Hex.ts"
import { Bps } from "../../src/domain/money/Bps.ts"
import type { Currency } from "../../src/domain/money/Currency.ts"
import { UsdPrice } from "../../src/domain/money/Usd.ts"
import { Timer } from "../quorum/rpc/Deadline.ts"
import { pythPrices } from "./PythPrices.ts"
import type { PythFeed } from "./PythPrices.ts"
import { startHermes } from "./testing/HermesServer.ts"
import type { HermesServer, ToldPrice } from "./testing/HermesServer.ts"

const KEY = "a-key-that-nobody-else-sees"
const symbols = ["ETH", "USDC", "BTC", "ODD"] as const
const currencyOf = (symbol: string): Currency => ({
  chainId: ChainId.make(1),
  address: CurrencyAddress.make(`0x${"0".repeat(40)}`),
  symbol,
  name: symbol,
  decimals: 18,
  isNative: true
})
const idOf = (symbol: string): string => symbols.findIndex((each) => each === symbol).toString(16).padStart(64, "a")
const feedOf = (symbol: string): PythFeed => ({
  id: Hex32.make(`0x${idOf(symbol)}`),
  maxAgeSeconds: 60,
  maxConfidence: Bps(50n)
})
/** 2500.25 dollars, as certain as Pyth usually is. */
const told: ToldPrice = { price: "250025000000", conf: "177166324", expo: -8, publish_time: 1_000_000 }
const [ETH, USDC, BTC] = symbols

const NOW_MS = 1_000_005_000
const serving = (hermes: HermesServer, apiKey: string | undefined = KEY) =>
  pythPrices(
    { url: Redacted.make(hermes.url), apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey) },
    symbols.map(feedOf),
    ({ symbol }) => symbol === "NONE" ? undefined : feedOf(symbol)
  )

/** A server with every feed, and the source over it. */
const world = Effect.gen(function*() {
  yield* TestClock.setTime(NOW_MS)
  const hermes = yield* startHermes
  for (const symbol of symbols) hermes.feeds.set(idOf(symbol), told)
  const source = yield* serving(hermes)
  return { hermes, priceOf: (symbol: string) => source.observe(currencyOf(symbol)) }
})

const test = <E>(name: string, body: Effect.Effect<void, E, Scope.Scope>) => it.effect(name, () => Effect.scoped(body))

const dollars = (text: string) => UsdPrice(BigInt(text) * 10n ** 34n)

describe("prices over HTTP", () => {
  test(
    "are dollars of one whole unit, with the time and the age that make them stale",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      hermes.feeds.set(idOf(USDC), { ...told, price: "1", conf: "0", expo: 0 })
      hermes.feeds.set(idOf(BTC), { ...told, price: "95", conf: "0", expo: 3 })
      assert.deepStrictEqual(yield* priceOf(ETH), { price: dollars("250025"), at: 1_000_000, maxAgeSeconds: 60 })
      assert.deepStrictEqual((yield* priceOf(USDC))?.price, dollars("100"))
      assert.deepStrictEqual((yield* priceOf(BTC))?.price, dollars("9500000"))
      assert.isUndefined(yield* priceOf("NONE"))
    })
  )

  test(
    "come in one request for all feeds, once a second, with the key",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      yield* Effect.forEach([...symbols, ...symbols], priceOf, { concurrency: "unbounded" })
      assert.deepStrictEqual(hermes.asked, [{ ids: symbols.map(idOf), authorization: `Bearer ${KEY}` }])
      yield* TestClock.adjust(1_001)
      yield* priceOf(ETH)
      assert.lengthOf(hermes.asked, 2)
    })
  )

  test(
    "need no key where the server asks for none",
    Effect.gen(function*() {
      const hermes = yield* startHermes
      const source = yield* pythPrices(
        { url: Redacted.make(hermes.url), apiKey: undefined },
        [feedOf(ETH)],
        () => feedOf(ETH)
      )
      yield* source.observe(currencyOf(ETH))
      assert.deepStrictEqual(hermes.asked, [{ ids: [idOf(ETH)], authorization: undefined }])
    })
  )

  test(
    "are used up to their widest interval, and from no future",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      const cases: ReadonlyArray<readonly [symbol: string, change: Partial<ToldPrice>]> = [
        [ETH, { price: "10000", conf: "50" }],
        [USDC, { price: "10000", conf: "51" }],
        [BTC, { publish_time: NOW_MS / 1_000 + 60 }],
        ["ODD", { publish_time: NOW_MS / 1_000 + 61 }]
      ]
      for (const [symbol, change] of cases) hermes.feeds.set(idOf(symbol), { ...told, ...change })
      const used = yield* Effect.filter(symbols, (symbol) => Effect.map(priceOf(symbol), (seen) => seen !== undefined))
      assert.deepStrictEqual(used, [ETH, BTC])
    })
  )

  test(
    "that are no prices are none, and spoil no other",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      const wrong: ReadonlyArray<Partial<Record<keyof ToldPrice, unknown>>> = [
        { price: "0", conf: "0" },
        { price: "-250025000000" },
        { price: "2500.25" },
        { price: "9".repeat(400) },
        { price: 250025000000 },
        { price: null },
        { conf: "-1" },
        { conf: undefined },
        { expo: -37 },
        { expo: 13 },
        { expo: 1e9 },
        { expo: "-8" },
        { publish_time: "1000000" },
        { publish_time: undefined }
      ]
      for (const change of wrong) {
        hermes.feeds.set(idOf("ODD"), { ...told, ...change })
        yield* TestClock.adjust(1_001)
        assert.isUndefined(yield* priceOf("ODD"), JSON.stringify(change))
        assert.isDefined(yield* priceOf(ETH), JSON.stringify(change))
      }
      assert.lengthOf(hermes.asked, wrong.length)
    })
  )

  test(
    "that contradict each other in one answer are none; those that nobody asked for are ignored",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      hermes.fault.answer = (response) => {
        const update = (symbol: string, price: string) => ({ id: idOf(symbol), price: { ...told, price } })
        response.end(JSON.stringify({
          parsed: [update(ETH, "250025000000"), update(USDC, "100000000000"), update(ETH, "350025000000"), {
            ...update(BTC, "100000000000"),
            id: "f".repeat(64)
          }]
        }))
      }
      assert.isUndefined(yield* priceOf(ETH))
      assert.isUndefined(yield* priceOf(BTC))
      assert.isDefined(yield* priceOf(USDC))
    })
  )

  for (const status of [400, 403, 404]) {
    test(
      `of a feed that is refused with ${status} cost no other, and are asked for again after ten minutes`,
      Effect.gen(function*() {
        const { hermes, priceOf } = yield* world
        hermes.refused.set(idOf("ODD"), status)
        assert.isDefined(yield* priceOf(ETH))
        assert.isUndefined(yield* priceOf("ODD"))
        yield* TestClock.adjust("9 minutes")
        const before = hermes.asked.length
        assert.isDefined(yield* priceOf(ETH))
        assert.deepStrictEqual(hermes.asked.slice(before).map(({ ids }) => ids), [[ETH, USDC, BTC].map(idOf)])
        hermes.refused.clear()
        yield* TestClock.adjust("2 minutes")
        assert.isDefined(yield* priceOf("ODD"))
      })
    )
  }

  test(
    "of a server that refuses the key are none, and it is asked for each feed once a minute at most",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      for (const symbol of symbols) hermes.refused.set(idOf(symbol), 403)
      for (let second = 0; second < 10; second++) {
        assert.isUndefined(yield* priceOf(ETH))
        yield* TestClock.adjust(1_001)
      }
      assert.lengthOf(hermes.asked, 10 + symbols.length)
      hermes.refused.clear()
      assert.isDefined(yield* priceOf(ETH))
    })
  )

  const faults: Readonly<Record<string, NonNullable<HermesServer["fault"]["answer"]>>> = {
    "is over its quota": (response) => response.writeHead(429).end("slow down"),
    "wants another key": (response) => response.writeHead(401).end(`key ${KEY} is unknown`),
    "is down": (response) => response.writeHead(503).end(),
    "sends elsewhere": (response) => response.writeHead(302, { location: "/elsewhere" }).end(),
    "answers with no JSON": (response) => response.end("<html>"),
    "answers with other JSON": (response) => response.end("{\"parsed\":{}}"),
    "breaks off": (response) => response.destroy(),
    "answers without end": (response) => {
      const more = () => response.write("x".repeat(1 << 20), () => response.destroyed || more())
      more()
    }
  }
  for (const [name, answer] of Object.entries(faults)) {
    test(
      `of a server that ${name} are none until it answers again, and its words and the key are in no log`,
      Effect.gen(function*() {
        const logged: Array<string> = []
        const { hermes, priceOf } = yield* world
        hermes.fault.answer = answer
        yield* Effect.gen(function*() {
          for (let second = 0; second < 3; second++) {
            assert.isUndefined(yield* priceOf(ETH))
            yield* TestClock.adjust(1_001)
          }
          hermes.fault.answer = undefined
          assert.isDefined(yield* priceOf(ETH))
        }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])))
        assert.deepStrictEqual(logged, [
          "the price source over HTTP gives no answer: see PYTH_HERMES_URL and PYTH_API_KEY"
        ])
        assert.lengthOf(hermes.asked, 4)
      })
    )
  }

  test(
    "of a server that hangs are none after the deadline",
    Effect.gen(function*() {
      const { hermes, priceOf } = yield* world
      hermes.fault.answer = () => undefined
      const deadlines: Array<number> = []
      const early = (run: () => void, milliseconds: number) => {
        deadlines.push(milliseconds)
        const timer = setTimeout(run, 20)
        return () => clearTimeout(timer)
      }
      assert.isUndefined(yield* Effect.provideService(priceOf(ETH), Timer, early))
      assert.deepStrictEqual(deadlines, [3_000])
    })
  )
})
