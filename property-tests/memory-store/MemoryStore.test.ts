/** What the store in memory promises beside its ports: a transaction is whole or nothing, and one at a time. */
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Holding } from "../../ports/chain/PaymentKinds.ts"
import { CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { MemoryStore } from "./MemoryStore.ts"
import { keyOf } from "./Tables.ts"

type Store = MemoryStore["Service"]

const put = ({ call }: Store, key: string, day: number) =>
  call("put", ({ calldata }) => calldata.set(key, { day, key, bytes: 1 }))
const add = ({ call }: Store, key: string) =>
  call("add", ({ calldata }) => calldata.add(key, { day: 0, key, bytes: 1 }))
const kept = ({ call }: Store) =>
  call("kept", ({ calldata }) => calldata.all().map(({ day, key }) => `${key}=${day}`).toSorted())

describe("the store in memory", () => {
  const test = <E>(name: string, use: (store: Store) => Effect.Effect<void, E>) =>
    it.effect(name, () => Effect.provide(Effect.flatMap(MemoryStore, use), MemoryStore.layer))

  test("commits what succeeds, and keeps nothing of a failure, a defect or an interruption", (store) =>
    Effect.gen(function*() {
      yield* put(store, "a", 1)
      yield* store.transaction(Effect.andThen(put(store, "a", 2), put(store, "b", 1)))
      const change = Effect.andThen(put(store, "a", 9), put(store, "c", 9))
      yield* Effect.exit(store.transaction(Effect.andThen(change, Effect.fail("no"))))
      yield* Effect.exit(store.transaction(Effect.andThen(change, Effect.die("no"))))
      const started = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        store.transaction(Effect.andThen(change, Effect.andThen(Deferred.succeed(started, undefined), Effect.never)))
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* kept(store), ["a=2", "b=1"])
    }))

  test("takes back all of a call that a constraint or its own answer refuses", (store) =>
    Effect.gen(function*() {
      yield* put(store, "a", 1)
      const twice = store.call("twice", ({ calldata }) => {
        calldata.set("b", { day: 1, key: "b", bytes: 1 })
        calldata.remove("a")
        calldata.add("b", { day: 2, key: "b", bytes: 1 })
      })
      assert.strictEqual((yield* Effect.flip(twice)).operation, "twice")
      const refused = store.attempt("refused", ({ calldata }) => {
        calldata.remove("a")
        return Result.fail("refused")
      })
      assert.strictEqual(yield* Effect.flip(refused), "refused")
      assert.deepStrictEqual(yield* kept(store), ["a=1"])
    }))

  test("lets an inner transaction fail alone, and fall with the outer one", (store) =>
    Effect.gen(function*() {
      yield* store.transaction(Effect.gen(function*() {
        yield* add(store, "outer")
        yield* Effect.exit(store.transaction(Effect.andThen(add(store, "inner"), Effect.fail("no"))))
        yield* Effect.exit(add(store, "outer"))
        yield* store.transaction(add(store, "second"))
      }))
      yield* Effect.exit(store.transaction(Effect.andThen(store.transaction(add(store, "fallen")), Effect.fail("no"))))
      assert.deepStrictEqual(yield* kept(store), ["outer=0", "second=0"])
    }))

  test("shows nothing that is not committed, and loses no update", (store) =>
    Effect.gen(function*() {
      yield* put(store, "a", 0)
      const raise = store.transaction(Effect.gen(function*() {
        const day = yield* store.call("read", ({ calldata }) => calldata.get("a")?.day ?? 0)
        yield* put(store, "b", day + 1)
        yield* Effect.yieldNow
        yield* put(store, "a", day + 1)
      }))
      const look = Effect.tap(kept(store), ([a, b = "b=0"]) =>
        Effect.sync(() => assert.strictEqual(a?.slice(2), b.slice(2))))
      yield* Effect.all(Array.from({ length: 20 }, () => [raise, look]).flat(), {
        concurrency: "unbounded",
        discard: true
      })
      assert.deepStrictEqual(yield* kept(store), ["a=20", "b=20"])
    }))

  test("keeps lookups by what is taken back, too", (store) =>
    Effect.gen(function*() {
      const chainId = ChainId.make(1)
      const currency = CurrencyAddress.make(`0x${"0".repeat(40)}`)
      const orderId = OrderId.make(`0x${"1".repeat(64)}`)
      const claims = (holding: Holding) =>
        store.call("claims", ({ reservationsOf }) =>
          reservationsOf(keyOf(chainId, currency, holding)).map(({ amount }) => amount))
      const write = (holding: Holding, amount: bigint) =>
        store.call("write", ({ reservations }) =>
          reservations.set("output", { orderId, part: "output", chainId, currency, holding, amount }))
      yield* write("account", 1n)
      yield* Effect.exit(store.transaction(Effect.andThen(write("vault", 2n), Effect.fail("no"))))
      assert.deepStrictEqual([yield* claims("account"), yield* claims("vault")], [[1n], []])
      yield* write("vault", 3n)
      assert.deepStrictEqual([yield* claims("account"), yield* claims("vault")], [[], [3n]])
    }))
})
