/** Which addresses are looked at, and how often: two looks at once would quote two requests for one deposit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AddressBalances } from "../../../ports/chain/AddressBalances.ts"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { Address, CurrencyAddress } from "../../domain/chain/Address.ts"
import { ChainId } from "../../domain/chain/ChainId.ts"
import { families } from "../../domain/families/index.ts"
import { Quoting } from "../quoting/Quoting.ts"
import { makeScriptedNotices } from "../../../adapters/storage/testing/ScriptedNotices.ts"
import { polledFollowers } from "../following/testing/PolledFollowers.ts"
import * as WatchingAddresses from "./WatchingAddresses.ts"

const id = ChainId.make(1)
const currency = CurrencyAddress.make("0x0000000000000000000000000000000000000000")
const addressOf = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const chain = {
  id,
  slug: "alpha",
  family: families["ethereum-vm"],
  blockTimeMs: 1_000,
  depositAddresses: { factory: addressOf(1) },
  currencies: [{ chainId: id, address: currency, symbol: "ETH", name: "Ether", decimals: 18, isNative: true }]
} as unknown as Chain

const NOW = 10 * 86_400_000
const [HOUR, DAY] = [3_600_000, 86_400_000]

interface World {
  /** How long ago each address was touched, milliseconds; the newest first, and each later than the next. */
  readonly touched: ReadonlyArray<number>
  /** Addresses of a page of the store at most. */
  readonly page?: number
  /** Whether every look at the chain finds another block, or none does. */
  readonly blocks?: "many" | "one"
  /** How long reading a balance takes, milliseconds. */
  readonly slow?: number
  /** How often looking at an address fails, by its number. */
  readonly failures?: Readonly<Record<number, number>>
}

/**
 * What there was to see: each look's address by its number and the greatest number of looks at one address at once;
 * questions to store and endpoint.
 */
interface Seen {
  readonly looks: Array<number>
  /** Addresses that are made meanwhile, the newest first. */
  readonly made: Array<{ readonly touchedAt: number; readonly address: Address }>
  readonly notices: ReturnType<typeof makeScriptedNotices>
  readonly asked: { store: number; head: number; together: number }
}

const watching = (
  { blocks = "many", failures = {}, page = 5_000, slow = 0, touched }: World,
  watched: (seen: Seen) => Effect.Effect<void>
) =>
  Effect.gen(function*() {
    const notices = makeScriptedNotices()
    const seen: Seen = { made: [], notices, looks: [], asked: { store: 0, head: 0, together: 0 } }
    const now = new Map<string, number>()
    const left = new Map(Object.entries(failures))
    let height = 0n
    const rows = touched.map((ago, index) => ({ touchedAt: NOW - ago, address: addressOf(index + 1) }))
    yield* TestClock.setTime(NOW)
    const ports = Layer.mergeAll(
      Layer.succeed(Chains, Chains.of({ all: [chain] })),
      polledFollowers,
      notices.layer,
      Layer.mock(Pauses, { all: Effect.succeed([]), recent: Effect.succeed([]) }),
      Layer.mock(DepositAddresses, {
        recent: (_chain, { since, until = Infinity }, after, limit) =>
          Effect.sync(() => {
            seen.asked.store += 1
            const found = [...seen.made, ...rows].filter(({ touchedAt }) =>
              touchedAt >= since && touchedAt < until && touchedAt < (after?.touchedAt ?? Infinity)
            )
            const taken = found.slice(0, Math.min(limit, page))
            return {
              addresses: taken.map(({ address }) => ({ chainId: id, address, currency }) as KeptAddress),
              next: taken.length < found.length ? taken.at(-1) : undefined
            }
          })
      }),
      Layer.mock(DepositWatcher, {
        head: () =>
          Effect.sync(() => {
            seen.asked.head += 1
            if (blocks === "many") height += 1n
            return { height, hash: `${height}`, time: 1 }
          })
      }),
      Layer.mock(AddressBalances, {
        read: (_chain, address) =>
          Effect.sync(() => {
            seen.looks.push(Number(address))
            const together = (now.get(address) ?? 0) + 1
            now.set(address, together)
            seen.asked.together = Math.max(seen.asked.together, together)
            const failing = left.get(`${Number(address)}`) ?? 0
            left.set(`${Number(address)}`, Math.max(0, failing - 1))
            return [{ _tag: "Read" as const, units: failing > 0 ? 5n : 0n, height }]
          }).pipe(
            Effect.tap(() => slow === 0 ? Effect.void : Effect.sleep(slow)),
            Effect.ensuring(Effect.sync(() => now.set(address, (now.get(address) ?? 1) - 1)))
          )
      }),
      Layer.mock(Sweeps, { of: () => Effect.fail(new StoreUnavailable({ operation: "Sweeps.of" })) }),
      Layer.mock(ApiKeys, {}),
      Layer.mock(Gas, {}),
      Layer.mock(Prices, {}),
      Layer.mock(TransferHistory, {}),
      Layer.mock(Transfers, {}),
      Layer.mock(Quoting, {})
    )
    yield* Layer.build(WatchingAddresses.layer.pipe(Layer.provide(ports)))
    yield* watched(seen)
  }).pipe(Effect.scoped)

/** Looks in a time when one address was touched so many milliseconds ago. */
const looksIn = Effect.fnUntraced(function*(seconds: number, ago: number) {
  let looks = 0
  yield* watching(
    { touched: [ago] },
    (seen) =>
      Effect.andThen(
        TestClock.adjust(`${seconds} seconds`),
        Effect.sync(() => {
          looks = seen.looks.length
        })
      )
  )
  return looks
})

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const adjust = (millis: number) => TestClock.adjust(`${millis} millis`)

describe("an address", () => {
  it.effect("is checked at one pace at a time: with every block in its first hour, every 15 seconds in its first day", () =>
    Effect.gen(function*() {
      // Every look finds another block, five times a second.
      assert.strictEqual(yield* looksIn(1, 60_000), 6)
    }))

  it.effect("is checked less often later, and not at all after a week", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* looksIn(30, 2 * HOUR), 3)
      assert.strictEqual(yield* looksIn(30, 2 * DAY), 1)
      assert.strictEqual(yield* looksIn(30, 8 * DAY), 0)
    }))

  it.effect("is not checked twice at once when it passes from one pace to the next during a check", () =>
    // The first look begins in its first hour; the quick pace's end is passed, and the next pace begins, before it is
    // over.
    watching({ touched: [HOUR - 14_000], slow: 20_000 }, (seen) =>
      Effect.gen(function*() {
        yield* adjust(200_000)
        assert.strictEqual(seen.asked.together, 1)
        assert.isAbove(seen.looks.length, 1)
      })))
})

describe("more addresses than a turn takes", () => {
  it.effect("are all checked, turn by turn, newest first, then again from the newest", () =>
    watching({ touched: numbers(7).map((n) => n * 1_000), page: 3 }, ({ looks }) =>
      Effect.gen(function*() {
        yield* adjust(0)
        assert.deepStrictEqual(looks, [1, 2, 3])
        yield* adjust(200)
        assert.deepStrictEqual(looks, [1, 2, 3, 4, 5, 6])
        yield* adjust(200)
        assert.deepStrictEqual(looks, numbers(7))
        yield* adjust(200)
        assert.deepStrictEqual(looks, [...numbers(7), 1, 2, 3])
      })))

  it.effect("of one pace do not delay those of another", () => {
    const count = 70
    const touched = [0, HOUR, DAY].flatMap((from) => numbers(count).map((n) => from + 60_000 + n))
    return watching({ touched, page: 30 }, ({ looks }) =>
      Effect.gen(function*() {
        const from = (before: number) => new Set(looks.filter((n) => n > before && n <= before + count)).size
        yield* adjust(400)
        assert.strictEqual(from(0), count)
        yield* adjust(29_600)
        assert.strictEqual(from(count), count)
        yield* adjust(570_000)
        assert.strictEqual(from(2 * count), count)
      }))
  })

  it.effect("are 5,001 or more", () =>
    watching({ touched: numbers(5_001).map((n) => n * 100), blocks: "one" }, ({ looks }) =>
      Effect.gen(function*() {
        yield* adjust(0)
        assert.deepStrictEqual(looks, numbers(5_000))
        yield* adjust(200)
        assert.deepStrictEqual(looks, numbers(5_001))
      })))

  it.effect("are as many as a turn can have: it lasts ten round trips to the chain", () =>
    watching(
      { touched: numbers(5_000).map((n) => n * 100), blocks: "one", slow: 100 },
      ({ looks }) =>
        Effect.gen(function*() {
          yield* TestClock.adjust(9 * 100 + 99)
          assert.deepStrictEqual(looks, numbers(5_000))
        })
    ))

  it.effect("are all checked without a new block, but only once", () =>
    watching(
      { touched: numbers(7).map((n) => n * 1_000), page: 3, blocks: "one" },
      ({ asked, looks }) =>
        Effect.gen(function*() {
          yield* adjust(400)
          assert.deepStrictEqual(looks, numbers(7))
          const before = asked.store
          yield* adjust(10_000)
          assert.deepStrictEqual(looks, numbers(7))
          assert.strictEqual(
            asked.store,
            before,
            "the two slower paces have nobody and come later; this one has seen the block"
          )
          assert.isAbove(asked.head, 10)
        })
    ))

  it.effect("are all checked although one of them fails, and then once more without a new block", () =>
    watching(
      { touched: numbers(5).map((n) => n * 1_000), page: 2, blocks: "one", failures: { 1: 1 } },
      ({ looks }) =>
        Effect.gen(function*() {
          yield* adjust(60_000)
          assert.deepStrictEqual(looks, [...numbers(5), ...numbers(5)])
        })
    ))
})

it.effect("without addresses the endpoint is not asked, and the store rarely", () =>
  watching({ touched: [] }, ({ asked }) =>
    Effect.gen(function*() {
      yield* adjust(15_000)
      const before = asked.store
      yield* adjust(60_000)
      assert.strictEqual(asked.head, 0)
      assert.isAbove(asked.store, before + 5)
      assert.isAtMost(asked.store, before + 6 + 4)
    })))

it.effect("the first address of a chain is looked at by its notice, and after the slow poll where that was lost", () =>
  Effect.forEach(
    [{ isTold: true, within: 200 }, { isTold: false, within: 10_200 }],
    ({ isTold, within }) =>
      watching({ touched: [] }, ({ looks, made, notices }) =>
        Effect.gen(function*() {
          yield* adjust(20_000)
          made.push({ touchedAt: NOW + 20_000, address: addressOf(1) })
          if (isTold) yield* notices.tell("deposit-addresses")
          yield* adjust(within)
          assert.include(looks, 1)
        }))
  ))
