/**
 * Takes over a dead runner's work even while the store fails. A runner that acquires shards marks their messages as
 * unread (`resetShards`). If that fails or takes long, Effect continues without it, and reads the dead runner's
 * messages only after ten minutes, so fillings would stall. This layer retries the reset until it succeeds, even when
 * the caller has stopped waiting. A late reset is harmless: a message in progress is not processed twice.
 */
import { Effect, Fiber, Layer, Schedule } from "effect"
import { MessageStorage } from "effect/cluster"

const patience = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])

export const layerRetriedResets = <E, R>(storage: Layer.Layer<MessageStorage.MessageStorage, E, R>) =>
  Layer.effect(
    MessageStorage.MessageStorage,
    Effect.gen(function*() {
      const stored = yield* MessageStorage.MessageStorage
      const scope = yield* Effect.scope
      return MessageStorage.MessageStorage.of({
        ...stored,
        resetShards: (shards) => {
          const ids = [...shards]
          return stored.resetShards(ids).pipe(
            Effect.tapError((error) =>
              Effect.logWarning("taking over the work of another runner failed and is retried", error)
            ),
            Effect.retry(patience),
            Effect.forkIn(scope),
            Effect.flatMap(Fiber.join)
          )
        }
      })
    })
  ).pipe(Layer.provide(storage))
