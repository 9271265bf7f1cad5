import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { makeSettlementBacklog } from "./SettlementBacklog.ts"
import { ports } from "./testing/Stubs.ts"

const HOUR = 3_600_000

const alarms = Effect.map(
  Metric.snapshot,
  (all) =>
    all.reduce(
      (sum, { attributes, id, state }) =>
        id === "alarms_total" && attributes?.["what"] === "settlement-overdue"
          ? sum + Number("count" in state ? state.count : 0)
          : sum,
      0
    )
)

describe("the report of overdue settlements", () => {
  it.effect("lists each that has waited for more than an hour, also behind one that waits for ever; at most once an hour", () =>
    Effect.gen(function*() {
      // When those that wait were opened.
      const waiting = [0]
      const before = yield* alarms
      const show = makeSettlementBacklog()
      const shown = Effect.provide(
        show,
        ports({
          settlements: {
            open: Effect.sync(() => [{ state: "open" as const, count: waiting.length, oldest: Math.min(...waiting) }]),
            overdue: (after, upTo) =>
              Effect.sync(() => {
                const late = waiting.filter((opened) => opened > after && opened <= upTo)
                return late.length === 0
                  ? undefined
                  : { count: late.length, oldest: Math.min(...late), newest: Math.max(...late) }
              })
          }
        })
      )
      const told = Effect.andThen(shown, Effect.map(alarms, (count) => count - before))
      assert.strictEqual(yield* told, 0)
      yield* TestClock.adjust(HOUR + 1_000)
      assert.strictEqual(yield* told, 1)
      assert.strictEqual(yield* told, 1)
      yield* TestClock.adjust(3 * HOUR)
      assert.strictEqual(yield* told, 1)
      // The first one never ends; another comes to wait too long.
      waiting.push(4 * HOUR)
      assert.strictEqual(yield* told, 1)
      yield* TestClock.adjust(2 * HOUR)
      assert.strictEqual(yield* told, 2)
      // Ever more do: told again after an hour.
      waiting.push(4 * HOUR + 1, 4 * HOUR + 2)
      assert.strictEqual(yield* told, 2)
      yield* TestClock.adjust(HOUR)
      assert.strictEqual(yield* told, 3)
    }))
})
