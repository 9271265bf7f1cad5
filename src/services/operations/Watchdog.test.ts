import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { alpha as chain } from "../../domain/quote/testing/Chains.ts"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { UnendedTransfer } from "../../../ports/store/orders/Transfers.ts"
import { RequestId } from "../../domain/transfer/RequestId.ts"
import * as Watchdog from "./Watchdog.ts"

const request = (digit: string, status: UnendedTransfer["status"], since: number): UnendedTransfer => ({
  id: RequestId.make(`0x${digit.repeat(64)}`),
  status,
  since,
  originChainId: chain.id,
  destinationChainId: chain.id
})

const shown = (name: string, label: string): Effect.Effect<ReadonlyMap<string | undefined, number>> =>
  Effect.map(
    Metric.snapshot,
    (all) =>
      new Map(all.flatMap(({ attributes, id, state }): ReadonlyArray<[string | undefined, number]> => {
        if (id !== name) return []
        if ("value" in state) return [[attributes?.[label], Number(state.value)]]
        return "count" in state ? [[attributes?.[label], Number(state.count)]] : []
      }))
  )

describe("the watchdog", () => {
  it.effect("reports each request that exceeds the bound of its state once, and withdraws the report when it has ended", () =>
    Effect.gen(function*() {
      const minute = 60_000
      let unended: ReadonlyArray<UnendedTransfer> = [
        request("1", "pending", 0),
        request("2", "pending", 20 * minute),
        request("3", "delayed", 0)
      ]
      const transfers: Transfers["Service"] = {
        add: () => Effect.die("not asked for"),
        find: () => Effect.die("not asked for"),
        findByDeposit: () => Effect.die("not asked for"),
        known: () => Effect.die("not asked for"),
        findByOrder: () => Effect.die("not asked for"),
        move: () => Effect.die("not asked for"),
        unended: () => Effect.sync(() => unended),
        unendedByStatus: Effect.die("not asked for")
      }
      yield* Effect.scoped(Effect.gen(function*() {
        yield* Layer.build(
          Watchdog.layer.pipe(
            Layer.provide([Layer.succeed(Chains, { all: [chain] }), Layer.succeed(Transfers, transfers)])
          )
        )
        const overdue = shown("overdue_requests", "status")
        const alarms = Effect.map(shown("alarms_total", "what"), (all) => all.get("overdue"))
        yield* TestClock.adjust("24 minutes")
        assert.strictEqual((yield* overdue).get("pending"), 0)
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual([(yield* overdue).get("pending"), (yield* overdue).get("delayed")], [1, 0])
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* alarms, 1)
        yield* TestClock.adjust("6 hours")
        assert.deepStrictEqual([(yield* overdue).get("pending"), (yield* overdue).get("delayed")], [2, 1])
        assert.strictEqual(yield* alarms, 3)
        unended = []
        yield* TestClock.adjust("15 seconds")
        assert.deepStrictEqual([(yield* overdue).get("pending"), (yield* overdue).get("delayed")], [0, 0])
      }))
    }))
})
