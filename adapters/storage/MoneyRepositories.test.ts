import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Exposures } from "../../ports/Exposures.ts"
import { Promises } from "../../ports/Promises.ts"
import { Address, CurrencyAddress } from "../../src/domain/chain/Address.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../src/domain/chain/Hex.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { layerMigrations } from "./engine/Migrations.ts"
import * as SqlExposures from "./Exposures.ts"
import { migrations } from "./migrations/index.ts"
import * as SqlPromises from "./Promises.ts"
import { describeEngines } from "./testing/engines.ts"

const id = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`
const address = (n: number) => Address.make(`0x${n.toString(16).padStart(40, "0")}`)
const alpha = ChainId.make(616101)
const beta = ChainId.make(616102)
const token = CurrencyAddress.make("0x00000000000000000000000000000000000000c1")
const caps = { chain: 100n, user: 60n }

describeEngines((_name, engine) => {
  const repositories = Layer.mergeAll(SqlExposures.layer, SqlPromises.layer).pipe(
    Layer.provideMerge(layerMigrations(migrations)),
    Layer.provideMerge(engine)
  )
  const test = <E>(name: string, effect: Effect.Effect<void, E, Exposures | Promises>) =>
    it.live(name, () => effect.pipe(Effect.provide(repositories)))

  test("takes no more exposure than a chain and a user may have, whoever asks at once, and again what is released", Effect.gen(function*() {
    const exposures = yield* Exposures
    const take = (n: number, user: number, usdMicros: bigint, chainId = alpha) =>
      exposures.take({ onchainId: Hex32.make(id(n)), chainId, user: address(user), usdMicros }, caps).pipe(Effect.retry({ times: 50 }))
    const taken = yield* Effect.forEach(Array.from({ length: 30 }, (_, n) => n), (n) => take(n, n, 10n), { concurrency: "unbounded" })
    assert.strictEqual(taken.filter((one) => one).length, 10)
    const held = taken.flatMap((one, n) => one ? [n] : [])
    // The same deposit again is no second exposure.
    assert.isTrue(yield* take(held[0] ?? 0, held[0] ?? 0, 10n))
    assert.isTrue(yield* take(100, 1, 60n, beta))
    assert.isFalse(yield* take(101, 1, 1n, beta))
    assert.isTrue(yield* take(102, 2, 40n, beta))
    yield* exposures.release(Hex32.make(id(100)))
    assert.isTrue(yield* take(101, 1, 1n, beta))
    assert.isFalse(yield* take(99, 9, 10n))
    yield* exposures.release(Hex32.make(id(held[0] ?? 0)))
    assert.isTrue(yield* take(99, 9, 10n))
  }))

  test("adds up what is promised of one holding and currency, until it is kept", Effect.gen(function*() {
    const promises = yield* Promises
    const of = { chainId: alpha, currency: token, holding: "account" as const }
    const note = (n: number, amount: bigint, changes: object = {}) => promises.note({ ...of, ...changes, orderId: OrderId.make(id(n)), amount })
    yield* note(1, 2n ** 255n)
    yield* note(2, 5n)
    yield* note(2, 7n)
    yield* note(3, 11n, { holding: "vault" })
    yield* note(4, 13n, { chainId: beta })
    assert.strictEqual(yield* promises.total(of), 2n ** 255n + 7n)
    assert.strictEqual(yield* promises.total({ ...of, holding: "vault" }), 11n)
    yield* promises.clear(OrderId.make(id(1)))
    assert.strictEqual(yield* promises.total(of), 7n)
  }))
})
