/** How long a lost notice (`StoreNotices`) may go unnoticed: then the store is asked without one. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** Ten seconds. */
export const SlowPoll = Context.Reference<Duration.Duration>("causeway/ports/SlowPoll", {
  defaultValue: () => Duration.seconds(10)
})
