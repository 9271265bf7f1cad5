/**
 * A loop over the store sees every change in bounded time, whatever becomes of notices and connections: at once when
 * its notice arrives, and otherwise after `SlowPoll`.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { makeScriptedNotices } from "../../../adapters/storage/testing/ScriptedNotices.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { pollNoticed } from "./Poll.ts"

const AT_LEAST = 200
/** A turn, after it has read. */
const TAKES = 100
const SLOW = 10_000
/** Between two connections. */
const AWAY = 2_000

type Step =
  /** `next`: whether the next step comes after the turn that follows, or in its middle. */
  | { readonly kind: "write"; readonly notice: "arrives" | "lost"; readonly next: "later" | "soon" }
  | { readonly kind: "cut" }
  /** The store does not answer for one turn. */
  | { readonly kind: "fails" }
  | { readonly kind: "wait"; readonly ms: number }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("write"),
      notice: fc.constantFrom("arrives", "lost"),
      next: fc.constantFrom("later", "soon")
    }),
    fc.record({ kind: fc.constant("cut") }),
    fc.record({ kind: fc.constant("fails") }),
    fc.record({ kind: fc.constant("wait"), ms: fc.integer({ min: 0, max: 12_000 }) })
  ) satisfies fc.Arbitrary<Step>,
  { maxLength: 30 }
)

const play = (script: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    const notices = makeScriptedNotices()
    let stored = 0
    let seen = -1
    let turns = 0
    let fails = 0
    let elapsed = 0
    const turn = Effect.suspend(() => {
      turns += 1
      if (fails > 0) {
        fails -= 1
        return Effect.fail(new StoreUnavailable({ operation: "test" }))
      }
      seen = stored
      // What is written now is read by the next turn.
      return Effect.sleep(TAKES)
    })
    const pass = (ms: number) => {
      elapsed += ms
      return TestClock.adjust(ms)
    }
    const loop = pollNoticed("queued sweeps", "sweeps", AT_LEAST)(turn)
    yield* Effect.forkScoped(Effect.provide(loop, notices.layer))
    yield* pass(AT_LEAST)
    for (const step of script) {
      switch (step.kind) {
        case "write":
          stored += 1
          if (step.notice === "arrives") {
            const arrived = yield* notices.tell("sweeps")
            const healthy = fails === 0
            yield* pass(step.next === "soon" ? TAKES / 2 : TAKES + AT_LEAST)
            if (arrived && healthy && step.next === "later") assert.strictEqual(seen, stored, "its notice has arrived")
          }
          break
        case "cut":
          yield* notices.cut
          break
        case "fails":
          fails = 1
          break
        case "wait":
          yield* pass(step.ms)
      }
    }
    // A turn that fails is tried again within a second.
    yield* pass(TAKES + AT_LEAST + SLOW + 1_000)
    assert.strictEqual(seen, stored, "seen at last")
    assert.isAtMost(turns, 1 + Math.ceil(elapsed / AT_LEAST) + script.length, "turns")
    // Once it hears again, it rests.
    yield* pass(AWAY + SLOW)
    const before = turns
    yield* pass(6 * SLOW)
    assert.isAtMost(turns - before, 6)
  }).pipe(Effect.scoped, Effect.provide([TestClock.layer(), Logger.layer([])]))

describe("a loop over the store", () => {
  it("sees every change, by its notice or without one", () =>
    fc.assert(fc.asyncProperty(steps, (script) => Effect.runPromise(play(script))), { numRuns: inputs(300, 5_000) }))
})
