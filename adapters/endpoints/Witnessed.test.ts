/**
 * Reads by one endpoint and under the quorum, with clients in memory: which endpoints are asked, which are believed,
 * and which are left out. hosts/transfer/e2e/misbehaviour/SolverQuorum.prop.test.ts shows what follows for money.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { alpha } from "../../src/domain/quote/testing/Chains.ts"
import type { ReadingRule } from "../../src/domain/quorum/AgreeOnReading.ts"
import { LEFT_OUT_MS, makeRotation } from "./Rotation.ts"
import type { EndpointFamily } from "./AskEndpoint.ts"
import type { WitnessedRead } from "./QuorumReading.ts"

/** An endpoint that answers with a number, or does not answer. */
interface Voice {
  says: number | "nothing"
  asked: number
}

const voicesOf = (...said: ReadonlyArray<Voice["says"]>): ReadonlyArray<Voice> =>
  said.map((says) => ({ says, asked: 0 }))

const urlOf = (index: number) => Redacted.make(`http://node-${index}.example/secret`)

const familyOf = (voices: ReadonlyArray<Voice>): EndpointFamily<Voice> => ({
  open: (url) =>
    Effect.succeed(
      voices.find((_, index) => Redacted.value(urlOf(index)) === Redacted.value(url)) ?? { says: "nothing", asked: 0 }
    ),
  isOn: () => Promise.resolve(true),
  faultOf: () => "refused"
})

/** Numbers of 100 and more stand for lasting answers that money depends on. */
const rule: ReadingRule<number> = {
  same: (left, right) => left === right,
  combine: ([first]) => first,
  claims: (value) => value >= 100 ? "lasting" : "open"
}

const read: WitnessedRead<Voice, number> = {
  operation: "a number",
  call: (voice) => {
    voice.asked += 1
    return voice.says === "nothing" ? Promise.reject(new Error("silent")) : Promise.resolve(voice.says)
  },
  rule,
  rests: (value) => value >= 100
}

const rotate = (voices: ReadonlyArray<Voice>, needed?: number) =>
  makeRotation(familyOf(voices), {
    urls: new Map([[alpha.id, voices.map((_, index) => urlOf(index))]]),
    ...(needed === undefined ? {} : { quorums: new Map([[alpha.id, needed]]) })
  })

const asked = (voices: ReadonlyArray<Voice>) => voices.map((voice) => voice.asked)

const said = (reading: Effect.Effect<number, { readonly kind: string }>) =>
  Effect.map(Effect.result(reading), (result) => Result.isFailure(result) ? result.failure.kind : result.success)

describe("a read that money may depend on", () => {
  it.effect("asks one endpoint while nothing depends on the answer, and all endpoints when something does", () =>
    Effect.scoped(Effect.gen(function*() {
      const voices = voicesOf(7, 7, 7)
      const { witnessed } = yield* rotate(voices)
      assert.strictEqual(yield* said(witnessed(alpha, read, "endpoint")), 7)
      assert.deepStrictEqual(asked(voices), [1, 0, 0])
      assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 7)
      assert.deepStrictEqual(asked(voices), [2, 1, 1])
      for (const voice of voices) voice.says = 100
      assert.strictEqual(yield* said(witnessed(alpha, read, "endpoint")), 100)
      // The endpoint that was asked first is not asked again.
      assert.deepStrictEqual(asked(voices), [3, 2, 2])
    })))

  it.effect("never returns a lie that fewer than the quorum tell, and leaves the liar out of single reads for a while", () =>
    Effect.scoped(Effect.gen(function*() {
      const voices = voicesOf(666, 100, 100)
      const { call, witnessed } = yield* rotate(voices)
      assert.strictEqual(yield* said(witnessed(alpha, read, "endpoint")), 100)
      const [liar] = asked(voices)
      assert.strictEqual(yield* said(call(alpha, "a number", read.call)), 100)
      assert.strictEqual(yield* said(witnessed(alpha, read, "endpoint")), 100)
      // It still votes in the quorum, and is not asked for single reads.
      assert.strictEqual(asked(voices)[0], (liar ?? 0) + 1)
      yield* TestClock.adjust(LEFT_OUT_MS + 1)
      assert.strictEqual(yield* said(call(alpha, "a number", read.call)), 666)
    })))

  it.effect("leaves out an endpoint that knows less only when that lasts", () =>
    Effect.scoped(Effect.gen(function*() {
      const voices = voicesOf(1, 2, 2)
      const { call, witnessed } = yield* rotate(voices)
      const alone = said(call(alpha, "a number", read.call))
      assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 2)
      assert.strictEqual(yield* alone, 1)
      yield* TestClock.adjust(alpha.blockTimeMs * 2)
      assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 2)
      // It agrees once in between, so its earlier contradictions no longer count.
      for (const voice of voices) voice.says = 3
      assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 3)
      voices.forEach((voice, index) => {
        voice.says = index === 0 ? 3 : 4
      })
      for (let times = 0; times < 3; times += 1) {
        assert.strictEqual(yield* alone, 3)
        assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 4)
        yield* TestClock.adjust(alpha.blockTimeMs * 2)
      }
      assert.strictEqual(yield* alone, 4)
    })))

  it.effect("fails while endpoints disagree or too few answer, and never lowers the quorum", () =>
    Effect.scoped(Effect.gen(function*() {
      const divided = yield* rotate(voicesOf(100, 101, 102))
      assert.strictEqual(yield* said(divided.witnessed(alpha, read, "endpoint")), "divided")
      // Single reads still work.
      assert.strictEqual(yield* said(divided.call(alpha, "a number", read.call)), 100)
      const few = yield* rotate(voicesOf(100, "nothing", "nothing"))
      assert.strictEqual(yield* said(few.witnessed(alpha, read, "endpoint")), "refused")
      const two = yield* rotate(voicesOf(100, "nothing"), 2)
      assert.strictEqual(yield* said(two.witnessed(alpha, read, "endpoint")), "refused")
    })))

  it.effect("uses the single endpoint's answer where one host decides, without another request", () =>
    Effect.scoped(Effect.gen(function*() {
      const one = voicesOf(100)
      const { isAlone, witnessed } = yield* rotate(one)
      assert.isTrue(isAlone(alpha))
      assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 100)
      assert.deepStrictEqual(asked(one), [1])
      // A preferred endpoint and its fallback.
      const minority = voicesOf(100, 101)
      const by = yield* rotate(minority)
      assert.isTrue(by.isAlone(alpha))
      assert.strictEqual(yield* said(by.witnessed(alpha, read, "endpoint")), 100)
      assert.deepStrictEqual(asked(minority), [1, 0])
    })))

  it.effect("asks as many hosts as the quorum needs, and another one in place of each that fails", () =>
    Effect.scoped(Effect.gen(function*() {
      const voices = voicesOf(1, 2, 3)
      const { several } = yield* rotate(voices)
      const all = Effect.map(
        Effect.result(several(alpha, "numbers", read.call)),
        (result) => Result.isFailure(result) ? result.failure.kind : result.success.map(({ answer }) => answer)
      )
      assert.deepStrictEqual(yield* all, [1, 2])
      assert.deepStrictEqual(asked(voices), [1, 1, 0])
      const [first, second] = voices
      if (first === undefined || second === undefined) return assert.fail("no voices")
      first.says = "nothing"
      assert.deepStrictEqual(yield* all, [2, 3])
      second.says = "nothing"
      assert.strictEqual(yield* all, "refused")
      // One that contradicted the quorum keeps its voice, and comes last.
      const liar = voicesOf(666, 100, 100)
      const by = yield* rotate(liar)
      yield* by.witnessed(alpha, read, "quorum")
      assert.deepStrictEqual(yield* by.several(alpha, "numbers", read.call), [
        { host: "node-1.example", answer: 100 },
        { host: "node-2.example", answer: 100 }
      ])
    })))

  it.effect("asks further hosts while what it has heard is not enough, and never fewer than the quorum needs", () =>
    Effect.scoped(Effect.gen(function*() {
      const voices = voicesOf(1, 2, 3)
      const { several } = yield* rotate(voices)
      const heard = (isEnough: (answers: ReadonlyArray<number>, needed: number) => boolean) =>
        Effect.map(several(alpha, "numbers", read.call, isEnough), (all) => all.length)
      assert.strictEqual(yield* heard(() => true), 2)
      const asked: Array<readonly [number, number]> = []
      assert.strictEqual(yield* heard((answers, needed) => (asked.push([answers.length, needed]), false)), 3)
      assert.deepStrictEqual(asked, [[2, 2]])
    })))

  it.effect("has no endpoint for single reads once every endpoint has contradicted the quorum", () =>
    Effect.scoped(Effect.gen(function*() {
      const voices = voicesOf(666, 100, 100)
      const { call, witnessed } = yield* rotate(voices)
      for (const all of [[666, 100, 100], [200, 666, 200], [300, 300, 666]]) {
        voices.forEach((voice, index) => {
          voice.says = all[index] ?? "nothing"
        })
        yield* witnessed(alpha, read, "quorum")
        // The last answer arrives after the decision.
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      assert.strictEqual(yield* said(call(alpha, "a number", read.call)), "divided")
      // The quorum itself still decides.
      for (const voice of voices) voice.says = 400
      assert.strictEqual(yield* said(witnessed(alpha, read, "quorum")), 400)
    })))
})
