/** What a restart begins from is written with each block while somebody waits, and every few seconds while nobody does. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { alpha } from "../../../domain/quote/testing/Chains.ts"
import { Followers } from "../../following/Followers.ts"
import { polledFollowers } from "../../following/testing/PolledFollowers.ts"
import { makeRenewal } from "./Renewal.ts"

const BOUND = 5_000

/** A look, a look of somebody who waits, or time that passes. */
type Step = { readonly kind: "look" | "wait" } | { readonly kind: "passes"; readonly ms: number }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("look", "wait") } as const),
    fc.record({ kind: fc.constant("passes"), ms: fc.integer({ min: 0, max: 7_000 }) } as const)
  ),
  { maxLength: 60 }
)

const play = (script: ReadonlyArray<Step>) =>
  Effect.gen(function*() {
    let waitedAt: number | undefined
    const followers = Layer.succeed(Followers, {
      ...Effect.runSync(Effect.provide(Followers, polledFollowers)),
      waitedAt: () => Effect.sync(() => waitedAt)
    })
    const { isDue, note } = makeRenewal(alpha)
    let writtenAt: number | undefined
    for (const step of script) {
      const now = yield* Clock.currentTimeMillis
      if (step.kind === "passes") yield* TestClock.adjust(step.ms)
      else if (step.kind === "wait") waitedAt = now
      else {
        const due = yield* Effect.provide(isDue, followers)
        const isAwaited = waitedAt !== undefined && now - waitedAt < BOUND
        const isFresh = writtenAt !== undefined && now - writtenAt < BOUND
        assert.strictEqual(due, isAwaited || !isFresh)
        if (!due) continue
        note(now)
        writtenAt = now
      }
    }
  }).pipe(Effect.provide(TestClock.layer()))

describe("what a restart of a scan begins from", () => {
  it("is written by the next look in five seconds at most, and by each while somebody waits", () =>
    fc.assert(fc.asyncProperty(steps, (script) => Effect.runPromise(Effect.scoped(play(script)))), {
      numRuns: inputs(300, 5_000)
    }))
})
