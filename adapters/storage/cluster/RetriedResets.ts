/**
 * Takes a dead runner's work over whatever the store does meanwhile. A runner that acquires shards has their messages
 * read again (`resetShards`). Effect goes on when that fails or takes long, and then reads what the dead runner had
 * read only after ten minutes: a filling would stand still for so long. Here it is tried until it is done, also when
 * nobody waits for it any more. Late is harmless: a message that is being processed is not processed twice.
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
            Effect.tapError((error) => Effect.logWarning("work of another runner is not taken over yet", error)),
            Effect.retry(patience),
            Effect.forkIn(scope),
            Effect.flatMap(Fiber.join)
          )
        }
      })
    })
  ).pipe(Layer.provide(storage))
