/** When the answers of several endpoints decide, and what becomes of the others. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { EndpointReading } from "../../src/domain/quorum/AgreeSoFar.ts"
import { makeEndpointQuorum } from "../../src/domain/quorum/EndpointQuorum.ts"
import { askEndpoints } from "./AskEndpoints.ts"
import type { FamilyReader } from "./AskEndpoints.ts"
import type { ReadFault } from "./ReadFault.ts"

const slug = ChainSlug.make("alpha")
const id = TransactionId.make(`0x${"11".repeat(32)}`)
const chain: Chain = { slug } as never

const absent: EndpointReading = {
  heads: { finalHeight: 5n, head: { height: 9n, time: 1 } },
  observedAt: () => ({ _tag: "Absent", chain: slug, transactionId: id })
}

/** A transaction in block 8, by an endpoint that has blocks up to this height as final. */
const mined = (finalHeight: bigint): EndpointReading => ({
  heads: { finalHeight, head: { height: 20n, time: 1 } },
  observedAt: (heads) => ({
    _tag: "Transaction",
    chain: slug,
    transactionId: id,
    block: { height: 8n, hash: "0x08", time: 1 },
    finality: heads.finalHeight >= 8n
      ? { _tag: "Final" }
      : { _tag: "Pending", confirmations: 1, needed: 2, secondsLeft: 0 },
    outcome: "succeeded",
    deposits: [],
    payments: [],
    orderIds: [],
    routerCalls: [],
    withdrawals: []
  })
})

/** Three endpoints that answer as they are told to, two of which must agree. */
const makeEndpoints = () => {
  const hosts = ["a", "b", "c"]
  const answers = hosts.map(() => Deferred.makeUnsafe<EndpointReading, ReadFault>())
  const seen = { cancelled: 0 }
  const reader: FamilyReader<number> = {
    read: (at) =>
      Effect.onInterrupt(Deferred.await(answers[at] ?? assert.fail("no such endpoint")), () =>
        Effect.sync(() => {
          seen.cancelled += 1
        })),
    isOn: () => Effect.succeed(true),
    open: () => Effect.die(new Error("unused"))
  }
  const open = {
    quorum: Result.getOrThrow(makeEndpointQuorum(hosts)),
    all: hosts.map((host, rpc) => ({ host, rpc, verified: true }))
  }
  const answer = (at: number, reading = absent) =>
    Deferred.succeed(answers[at] ?? assert.fail("no such endpoint"), reading)
  const asked = Effect.forkChild(askEndpoints(reader, open, { chain, id, deadlineMs: 1_000, hint: undefined }), {
    startImmediately: true
  })
  return { answer, answers, asked, seen }
}

describe("several endpoints", () => {
  it.effect("decide as soon as no further answer could change it, and the others are cancelled", () =>
    Effect.gen(function*() {
      for (const reading of [absent, mined(9n)]) {
        const { answer, asked, seen } = makeEndpoints()
        const observing = yield* asked
        yield* answer(2, reading)
        assert.isUndefined(observing.pollUnsafe())
        yield* answer(0, reading)
        assert.deepStrictEqual(yield* Fiber.join(observing), reading.observedAt(reading.heads))
        assert.strictEqual(seen.cancelled, 1)
      }
    }))

  it.effect("that only agree that nothing is final are believed once the others were silent for a quarter second", () =>
    Effect.gen(function*() {
      const { answer, asked, seen } = makeEndpoints()
      const reading = yield* asked
      yield* answer(0, mined(9n))
      yield* answer(1, mined(7n))
      yield* TestClock.adjust(249)
      assert.isUndefined(reading.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(reading), {
        finality: { _tag: "Pending", confirmations: 1, needed: 2, secondsLeft: 0 }
      })
      assert.strictEqual(seen.cancelled, 1)
    }))

  it.effect("have their last answer counted within that quarter second", () =>
    Effect.gen(function*() {
      const { answer, asked, seen } = makeEndpoints()
      const reading = yield* asked
      yield* answer(0, mined(9n))
      yield* answer(1, mined(7n))
      yield* TestClock.adjust(200)
      yield* answer(2, mined(8n))
      assert.deepInclude(yield* Fiber.join(reading), { finality: { _tag: "Final" } })
      assert.strictEqual(seen.cancelled, 0)
    }))

  it.effect("are not stopped by a defect in reading one of them", () =>
    Effect.gen(function*() {
      const { answer, answers, asked } = makeEndpoints()
      const reading = yield* asked
      yield* Deferred.die(answers[0] ?? assert.fail("no such endpoint"), new Error("ours"))
      yield* answer(1)
      yield* answer(2)
      assert.strictEqual((yield* Fiber.join(reading))._tag, "Absent")
    }))

  it.effect("that fail or are misread leave too few answers", () =>
    Effect.gen(function*() {
      const { answer, answers, asked } = makeEndpoints()
      const reading = yield* asked
      yield* Deferred.die(answers[0] ?? assert.fail("no such endpoint"), new Error("ours"))
      yield* Deferred.fail(answers[1] ?? assert.fail("no such endpoint"), "timeout")
      yield* answer(2)
      assert.strictEqual((yield* Effect.flip(Fiber.join(reading)))._tag, "TooFewAnswers")
    }))

  it.effect("are asked no longer when no caller waits", () =>
    Effect.gen(function*() {
      const { asked, seen } = makeEndpoints()
      yield* Fiber.interrupt(yield* asked)
      assert.strictEqual(seen.cancelled, 3)
    }))
})
