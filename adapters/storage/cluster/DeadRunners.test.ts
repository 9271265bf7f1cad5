/**
 * How soon a killed runner is told from a slow one, in virtual time. The assignment of its shards is refreshed each
 * second and read twice a second, so that two seconds here are less than five for its work.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option } from "effect"
import { RunnerAddress, RunnerStorage, ShardingConfig } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { layerWatchedRunners } from "./DeadRunners.ts"

const other = "10.0.0.2:7001"

/** A store that says whether the other runner holds its lock, and when that one was marked as unhealthy. */
const watching = Effect.fnUntraced(function*(held: boolean) {
  const world = { held, healthy: true, markedAt: [] as Array<number> }
  const executeValues = (statement: string) =>
    Effect.gen(function*() {
      if (statement.includes("pg_try_advisory_lock")) return [[true]]
      if (statement.startsWith("UPDATE cluster_runners")) {
        world.healthy = false
        world.markedAt.push(yield* Clock.currentTimeMillis)
        return []
      }
      return world.healthy ? [["10.0.0.1:7001", true], [other, world.held]] : [["10.0.0.1:7001", true]]
    })
  yield* Layer.build(
    layerWatchedRunners(Layer.succeed(RunnerStorage.RunnerStorage, {} as RunnerStorage.RunnerStorage["Service"])).pipe(
      Layer.provide([
        Layer.succeed(
          SqlClient.SqlClient,
          { reserve: Effect.succeed({ executeValues }) } as unknown as SqlClient.SqlClient
        ),
        ShardingConfig.layer({
          runnerAddress: Option.some(RunnerAddress.RunnerAddress.make({ host: "10.0.0.1", port: 7001 }))
        })
      ])
    )
  )
  return world
})

describe("a runner whose process dies", () => {
  it.effect("is marked within two seconds, whenever in between it dies", () =>
    Effect.gen(function*() {
      for (const offset of [0, 1, 499, 999]) {
        yield* Effect.scoped(Effect.gen(function*() {
          const world = yield* watching(true)
          yield* TestClock.adjust(5_000 + offset)
          const diedAt = yield* Clock.currentTimeMillis
          world.held = false
          for (let passed = 0; passed < 2_000; passed += 50) yield* TestClock.adjust("50 millis")
          assert.lengthOf(world.markedAt, 1, `${offset}`)
          assert.isAtMost((world.markedAt[0] ?? Infinity) - diedAt, 2_000)
        }))
      }
    }))

  it.effect("is not marked while it holds its lock, nor when that is missing for one look only", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* watching(true)
      yield* TestClock.adjust("1 minute")
      world.held = false
      yield* TestClock.adjust("1 second")
      world.held = true
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(world.markedAt, [])
    })))

  it.effect("is not marked when its lock was never seen: the server may have just restarted", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* watching(false)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(world.markedAt, [])
    })))
})
