/** Followers that take every chain for moved after each poll interval, for tests of what waits for a chain. */
import { Effect, Layer } from "effect"
import { pollInterval } from "../../polling/PollInterval.ts"
import { Followers } from "../Followers.ts"

export const polledFollowers = Layer.succeed(Followers, {
  seen: () => Effect.succeed({ version: 0, finalHeight: -1n, head: undefined }),
  moved: (chain) => Effect.sleep(pollInterval(chain)),
  waitedAt: () => Effect.undefined
})
