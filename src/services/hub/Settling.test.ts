/** How long what cannot be settled now waits, by what keeps it. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { makeScriptedNotices } from "../../../adapters/storage/testing/ScriptedNotices.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { ClaimedSettlement, Conclusion } from "../../../ports/store/orders/Settlements.ts"
import { TooFewAnswers } from "../../domain/quorum/QuorumFailure.ts"
import { alpha } from "../../domain/quote/testing/Chains.ts"
import * as NewSettlements from "./NewSettlements.ts"
import { layer } from "./Settling.ts"
import { claimed, ports } from "./testing/Stubs.ts"

/** What is concluded of one deposit at a time, which is claimed once. */
const concluded = Effect.fnUntraced(
  function*(attempts: number, told: Parameters<typeof ports>[0], alike?: ClaimedSettlement["alike"]) {
    const conclusions: Array<{ readonly conclusion: Conclusion; readonly at: number }> = []
    let left = 1
    const stubs = ports({
      ...told,
      settlements: {
        claim: () => Effect.sync(() => left-- > 0 ? [{ ...claimed, attempts, alike }] : []),
        conclude: (_claimed, conclusion, at) =>
          Effect.sync(() => {
            conclusions.push({ conclusion, at })
          }),
        open: Effect.succeed([]),
        overdue: () => Effect.succeed(undefined)
      }
    })
    yield* Effect.scoped(
      Effect.andThen(
        Layer.build(layer.pipe(Layer.provide([stubs, makeScriptedNotices().layer]))),
        TestClock.adjust("1 second")
      )
    )
    assert.lengthOf(conclusions, 1)
    return conclusions[0] ?? assert.fail()
  }
)

const unavailable = Effect.fail(
  new ChainUnavailable({ chain: alpha.slug, operation: "threshold", kind: "unreachable" })
)
const terms = () => Effect.succeed({ threshold: 1, takesSeveral: true })

describe("a settlement that is not possible now", () => {
  it.effect("because the hub or a chain is unreachable is retried within five seconds, however often that happened", () =>
    Effect.gen(function*() {
      const many = 40
      const away = { terms: () => unavailable }
      const cases: ReadonlyArray<readonly [string, Parameters<typeof ports>[0]]> = [
        ["alpha-unavailable", { gate: away }],
        ["alpha-unavailable", { gate: { terms }, transfers: { findByOrder: () => unavailable as never } }],
        ["endpoints-unavailable", {
          gate: { terms },
          transfers: { findByOrder: () => Effect.fail(new TooFewAnswers({ needed: 2, answered: 1 })) as never }
        }]
      ]
      for (const [reason, told] of cases) {
        const { at, conclusion } = yield* concluded(many, told)
        assert.deepInclude(conclusion, { _tag: "Unreached", reason })
        assert.isAtMost((conclusion._tag === "Unreached" ? conclusion.dueAt : Infinity) - at, 5_000)
      }
    }))

  it.effect("is retried while the hub is away, so that it continues at once when the hub is back", () =>
    Effect.gen(function*() {
      let looks = 0
      let dueAt = 0
      const stubs = ports({
        gate: {
          terms: () =>
            Effect.suspend(() => {
              looks += 1
              return unavailable
            })
        },
        settlements: {
          claim: (now) => Effect.sync(() => now >= dueAt ? [claimed] : []),
          conclude: (_claimed, conclusion) =>
            Effect.sync(() => {
              dueAt = conclusion._tag === "Unreached" ? conclusion.dueAt : Infinity
            }),
          open: Effect.succeed([]),
          overdue: () => Effect.succeed(undefined)
        }
      })
      yield* Effect.scoped(
        Effect.andThen(
          Layer.build(layer.pipe(Layer.provide([stubs, Logger.layer([]), makeScriptedNotices().layer]))),
          TestClock.adjust("10 minutes")
        )
      )
      // Every five seconds, and a half to see it.
      assert.isAtLeast(looks, 109)
    }))

  it.effect("for another reason is retried less and less often, and is refused once it can never settle by itself", () =>
    Effect.gen(function*() {
      const died = yield* concluded(40, { gate: { terms } })
      assert.deepInclude(died.conclusion, { _tag: "Later", reason: "defect" })
      assert.isAtLeast((died.conclusion._tag === "Later" ? died.conclusion.dueAt : 0) - died.at, 300_000)
      // Its chain has been taken out of the configuration.
      const elsewhere: Parameters<typeof ports>[0] = {
        gate: { terms },
        transfers: { findByOrder: () => Effect.succeed({} as never) },
        deposits: { find: () => Effect.succeed({ deposit: { chainId: 99 }, sighting: 1 } as never) }
      }
      const looks = (reason: string, many: number) => concluded(5_000, elsewhere, { reason, looks: many })
      assert.deepInclude((yield* looks("chain-not-served", 999)).conclusion, {
        _tag: "Later",
        reason: "chain-not-served"
      })
      assert.deepStrictEqual((yield* looks("chain-not-served", 1_000)).conclusion, {
        _tag: "Refused",
        reason: "chain-not-served"
      })
      // Looks that came to something else say nothing of this: it is looked at as often for itself.
      assert.deepInclude((yield* looks("signatures-missing", 4_000)).conclusion, {
        _tag: "Later",
        reason: "chain-not-served"
      })
      assert.deepInclude((yield* concluded(5_000, elsewhere)).conclusion, { _tag: "Later", reason: "chain-not-served" })
    }))

  it.effect("is looked for when it is due or was opened by this process, and else after the slow poll", () =>
    Effect.gen(function*() {
      let due: number | undefined
      const looks: Array<number> = []
      const claims: Array<number> = []
      const stubs = ports({
        gate: { terms: () => unavailable },
        settlements: {
          nextDue: (until) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              looks.push(now)
              return due !== undefined && due <= until ? due : undefined
            }),
          claim: (now) =>
            Effect.sync(() => {
              claims.push(now)
              return [claimed]
            }),
          conclude: () =>
            Effect.sync(() => {
              due = undefined
            }),
          open: Effect.succeed([]),
          overdue: () => Effect.succeed(undefined)
        }
      })
      yield* Effect.gen(function*() {
        const context = yield* Layer.build(
          layer.pipe(Layer.provideMerge(Layer.mergeAll(stubs, Logger.layer([]), makeScriptedNotices().layer)))
        )
        const deposits = Context.get(
          yield* Layer.build(NewSettlements.layerTelling.pipe(Layer.provide([
            Layer.mock(Deposits, { close: () => Effect.void }),
            Layer.succeed(NewSettlements.NewSettlements, Context.get(context, NewSettlements.NewSettlements))
          ]))),
          Deposits
        )
        yield* TestClock.adjust("1 hour")
        assert.isAtMost(looks.length, 361)
        assert.isAtLeast(looks.length, 360)
        // Closed by this process.
        const before = yield* Clock.currentTimeMillis
        due = 0
        yield* deposits.close(claimed.deposit, 1, "filled", before)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(claims, [before])
        // Opened by another one, to be due in a while.
        yield* TestClock.adjust("1 minute")
        due = (yield* Clock.currentTimeMillis) + 27_123
        const at = due
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(claims, [before, at])
      }).pipe(Effect.scoped)
    }))
})
