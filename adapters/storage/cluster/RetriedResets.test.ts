import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import { ClusterError, MessageStorage, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"
import { layerRetriedResets } from "./RetriedResets.ts"

const shards = [ShardId.make("default", 1), ShardId.make("default", 2)]
const names = (ids: Iterable<ShardId.ShardId>) => Array.from(ids, ({ group, id }) => `${group}:${id}`)

/** A store that takes one of these effects for each reset, and succeeds once they are used up. */
const storeThat = (...does: ReadonlyArray<Effect.Effect<void, ClusterError.PersistenceError>>) => {
  const left = [...does]
  const done: Array<string> = []
  const layer = Layer.effect(
    MessageStorage.MessageStorage,
    Effect.map(MessageStorage.MessageStorage, (noop) =>
      MessageStorage.MessageStorage.of({
        ...noop,
        resetShards: (ids) =>
          Effect.andThen(
            Effect.suspend(() => left.shift() ?? Effect.void),
            Effect.sync(() => void done.push(...names(ids)))
          )
      }))
  ).pipe(Layer.provide(MessageStorage.layerNoop))
  return { done, layer: layerRetriedResets(layer) }
}

const fails = Effect.fail(new ClusterError.PersistenceError({ cause: "the store fails" }))
const reset = Effect.flatMap(MessageStorage.MessageStorage, (storage) => storage.resetShards(shards))

describe("messages of acquired shards", () => {
  it.effect("are read again although the store fails several times", () => {
    const { done, layer } = storeThat(fails, fails, fails)
    return Effect.gen(function*() {
      const waiting = yield* Effect.forkChild(reset)
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(waiting)))
      assert.deepStrictEqual(done, names(shards))
    }).pipe(Effect.provide(layer))
  })

  it.effect("are read again although the caller stopped waiting for the store", () => {
    const { done, layer } = storeThat(Effect.andThen(Effect.sleep("1 minute"), fails))
    return Effect.gen(function*() {
      const waiting = yield* Effect.forkChild(Effect.timeoutOption(reset, "5 seconds"))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.await(waiting)
      assert.deepStrictEqual(done, [])
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(done, names(shards))
    }).pipe(Effect.provide(layer))
  })
})
