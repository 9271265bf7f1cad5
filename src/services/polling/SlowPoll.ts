/**
 * How often the store is asked for what a notice should have told (`StoreNotices`), in case the notice was lost. Ten
 * seconds.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export const SlowPoll = Context.Reference<Duration.Duration>("causeway/services/polling/SlowPoll", {
  defaultValue: () => Duration.seconds(10)
})
