/**
 * The stock of derived deposit addresses is kept full by whoever has the seed, no place twice, and never under another
 * seed.
 */
import { makeScriptedNotices } from "../../../adapters/storage/testing/ScriptedNotices.ts"
import { families } from "../../domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositKeyring } from "../../../ports/signing/DepositKeyring.ts"
import { DepositKeys } from "../../../ports/store/orders/DepositKeys.ts"
import type { DepositKey } from "../../../ports/store/orders/DepositKeys.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { Address } from "../../domain/chain/Address.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import type { KeyPlace } from "../../domain/deposit-address/HardenedKeys.ts"
import * as StockingAddresses from "./StockingAddresses.ts"

const chain = (derived: boolean) =>
  ({
    id: 9,
    slug: "nine",
    family: families["solana-vm"],
    ...(derived ? { depositAddresses: { keys: "derived" } } : {})
  }) as Chain
const addressAt = (seed: string) => ({ generation, number }: KeyPlace) =>
  Effect.succeed(Address.make(`${seed} ${generation} ${number}`))

/** A stock in memory, whose writes fail when they are told to. */
const makeStock = () => {
  const free: Array<DepositKey> = []
  const added: Array<DepositKey> = []
  const claimed: Array<DepositKey> = []
  let counts = 0
  let failing = 0
  let generations = 4
  const keys = Layer.mock(DepositKeys, {
    begin: () => Effect.sync(() => (generations += 1)),
    free: () =>
      Effect.sync(() => {
        counts += 1
        return free.length
      }),
    add: (_family, given) =>
      Effect.suspend(() => {
        added.push(...given)
        // What failed may have been written all the same.
        if (failing > 0) {
          return Effect.sync(() => {
            failing -= 1
          }).pipe(Effect.andThen(Effect.fail(new StoreUnavailable({ operation: "add" }))))
        }
        return Effect.sync(() => {
          free.push(...given)
        })
      }),
    lastClaimed: () => Effect.sync(() => claimed.at(-1))
  })
  const notices = makeScriptedNotices()
  return {
    added,
    claimed,
    free,
    keys,
    notices,
    counted: () => counts,
    fail: (times: number) => {
      failing = times
    }
  }
}

const running = (
  stock: ReturnType<typeof makeStock>,
  { derived = true, seed = "seed" }: { readonly derived?: boolean; readonly seed?: string | undefined } = {}
) =>
  Layer.build(StockingAddresses.layer.pipe(Layer.provide(Layer.mergeAll(
    stock.keys,
    stock.notices.layer,
    Layer.succeed(Chains, { all: [chain(derived)] }),
    Layer.succeed(DepositKeyring, { deriverOf: () => seed === "" ? undefined : addressAt(seed) })
  ))))

describe("the stock of deposit addresses", () => {
  it.effect("is filled at once and refilled as addresses are used, from one generation and without reusing a number, also after a failed write", () =>
    Effect.scoped(Effect.gen(function*() {
      const stock = makeStock()
      stock.fail(2)
      yield* running(stock)
      yield* TestClock.adjust("10 seconds")
      assert.lengthOf(stock.free, 256)
      stock.claimed.push(...stock.free.splice(0, 100))
      yield* stock.notices.tell("deposit-keys")
      yield* TestClock.adjust("600 millis")
      assert.lengthOf(stock.free, 256)
      const places = [...stock.added]
      assert.strictEqual(new Set(places.map(({ number }) => number)).size, places.length)
      assert.deepStrictEqual([...new Set(places.map(({ generation }) => generation))], [5])
      assert.strictEqual<string | undefined>(stock.free.at(-1)?.address, `seed 5 ${places.length - 1}`)
    })))

  it.effect("is counted six times a minute while nobody takes any, and filled up where a notice was lost", () =>
    Effect.scoped(Effect.gen(function*() {
      const stock = makeStock()
      yield* running(stock)
      yield* TestClock.adjust("10 seconds")
      const before = stock.counted()
      yield* TestClock.adjust("1 minute")
      assert.isAtMost(stock.counted() - before, 6)
      stock.claimed.push(...stock.free.splice(0, 100))
      yield* TestClock.adjust("11 seconds")
      assert.lengthOf(stock.free, 256)
    })))

  it.effect("is not kept without the seed, or without a chain that has such addresses", () =>
    Effect.scoped(Effect.gen(function*() {
      for (const without of [{ seed: "" }, { derived: false }]) {
        const stock = makeStock()
        yield* running(stock, without)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(stock.added, [])
      }
    })))

  it.effect("is refused for another seed than that of the addresses in use", () =>
    Effect.scoped(Effect.gen(function*() {
      const stock = makeStock()
      yield* running(stock)
      yield* TestClock.adjust("1 second")
      stock.claimed.push(...stock.free.splice(0, 1))
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(running(stock))))
      const refused = yield* Effect.flip(running(stock, { seed: "another" }))
      assert.include(refused.message, "m/44'/501'/5'/0'")
    })))
})
