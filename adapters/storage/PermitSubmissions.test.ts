/** Permits that are to be submitted, on both engines: of an order one is queued or done, whoever asks how often. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fc from "fast-check"
import { PermitSubmissions } from "../../ports/PermitSubmissions.ts"
import type { NewPermitSubmission } from "../../ports/PermitSubmissions.ts"
import { inputs } from "../../scripts/testing/Tally.ts"
import { ChainId } from "../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../src/domain/chain/Hex.ts"
import { OrderId } from "../../src/domain/order/Order.ts"
import { permitId } from "../../src/domain/permit/PermitId.ts"
import { layerMigrations } from "./engine/Migrations.ts"
import { migrations } from "./migrations/index.ts"
import * as SqlPermitSubmissions from "./PermitSubmissions.ts"
import { describeEngines } from "./testing/engines.ts"

const orderOf = (n: number) => OrderId.make(`0x${n.toString(16).padStart(64, "0")}`)

const submission = (order: number, number: number, signature: `0x${string}` = "0x12"): NewPermitSubmission => ({
  id: permitId(orderOf(order), number),
  orderId: orderOf(order),
  number,
  chainId: ChainId.make(616101),
  signature: Hex.make(signature),
  queuedAt: order * 10 + number
})

const atOnce = <A, E, R>(count: number, each: (n: number) => Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }, (_, n) => n), each, { concurrency: "unbounded" })

describeEngines((name, engine) => {
  const stores = SqlPermitSubmissions.layer.pipe(Layer.provideMerge(layerMigrations(migrations)), Layer.provideMerge(engine))
  const test = <E>(title: string, effect: Effect.Effect<void, E, PermitSubmissions>) => it.live(title, () => effect.pipe(Effect.provide(stores)))

  test("of many who queue the permit of one order at once one does, whatever number they have", Effect.gen(function*() {
    const permits = yield* PermitSubmissions
    for (let order = 1; order <= 6; order++) {
      const answers = yield* atOnce(24, (n) => permits.queue(submission(order, order % 2 === 0 ? 0 : n % 3, `0x${(n + 16).toString(16)}`)))
      assert.strictEqual(answers.filter((answer) => answer).length, 1)
      const newest = yield* permits.newest(orderOf(order))
      assert.strictEqual(newest?.state, "queued")
      assert.deepStrictEqual(yield* permits.find(newest?.id ?? Hex32.make(orderOf(99))), newest)
    }
    assert.lengthOf(yield* permits.open, 6)
    assert.isUndefined(yield* permits.newest(orderOf(99)))
    assert.isUndefined(yield* permits.find(Hex32.make(orderOf(99))))
  }))

  test("one that is done stands for ever; one that came to nothing makes room for the next number, and not for its own", Effect.gen(function*() {
    const permits = yield* PermitSubmissions
    const [first, second] = [submission(1, 0), submission(1, 1)]
    assert.isTrue(yield* permits.queue(first))
    yield* permits.close(first.id, 0, "void", 5)
    assert.isFalse(yield* permits.queue(first))
    assert.isTrue(yield* permits.queue(second))
    yield* permits.close(first.id, 0, "done", 6)
    assert.strictEqual((yield* permits.find(first.id))?.state, "void")
    yield* permits.close(second.id, 1, "void", 7)
    assert.strictEqual((yield* permits.find(second.id))?.state, "queued", "of another round")
    yield* permits.close(second.id, 0, "done", 8)
    assert.isFalse(yield* permits.queue(submission(1, 2)))
    assert.deepStrictEqual(yield* permits.newest(orderOf(1)), { ...second, state: "done", round: 0 })
    assert.deepStrictEqual(yield* permits.open, [])
  }))

  test("one that was undone is queued again in its next round, and what the round before says of it counts no more", Effect.gen(function*() {
    const permits = yield* PermitSubmissions
    const only = submission(1, 0)
    yield* permits.queue(only)
    assert.isFalse(yield* permits.reopen(only.id), "it is queued")
    yield* permits.close(only.id, 0, "done", 5)
    assert.isTrue(yield* permits.reopen(only.id))
    assert.deepStrictEqual(yield* permits.open, [{ ...only, state: "queued", round: 1 }])
    yield* permits.fail(only.id, 0)
    yield* permits.close(only.id, 0, "void", 6)
    assert.strictEqual((yield* permits.find(only.id))?.state, "queued")
    yield* permits.close(only.id, 1, "done", 7)
    yield* permits.fail(only.id, 0)
    assert.strictEqual((yield* permits.find(only.id))?.state, "done")
    yield* permits.fail(only.id, 1)
    assert.strictEqual((yield* permits.find(only.id))?.state, "void")
    assert.isFalse(yield* permits.reopen(only.id))
  }))

  test("whatever is queued, closed, failed and undone in whatever order, of an order at most one is queued or done", Effect.gen(function*() {
    const permits = yield* PermitSubmissions
    const act = fc.record({ what: fc.constantFrom("queue", "done", "void", "fail", "reopen"), number: fc.nat(3), round: fc.nat(1) })
    let order = 100
    for (const acts of fc.sample(fc.array(act, { maxLength: 12 }), { numRuns: inputs(20, 400) })) {
      order += 1
      for (const { number, round, what } of acts) {
        const each = submission(order, number)
        if (what === "queue") yield* permits.queue(each)
        else if (what === "fail") yield* permits.fail(each.id, round)
        else if (what === "reopen") yield* permits.reopen(each.id)
        else yield* permits.close(each.id, round, what === "done" ? "done" : "void", 1)
      }
      const kept = (yield* atOnce(4, (number) => permits.find(permitId(orderOf(order), number)))).filter((each) => each !== undefined && each.state !== "void")
      assert.isAtMost(kept.length, 1, `${name}: ${JSON.stringify(acts)}`)
    }
  }))
})
