/**
 * Looks at a chain until something is found: at once, then whenever its follower saw it move, and by the quorum now
 * and then, because a single endpoint could keep a wait from ever ending by hiding something.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Cursor } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { pollInterval } from "../polling/PollInterval.ts"
import { Followers } from "./Followers.ts"
import type { Purpose } from "./Followers.ts"

/** What a look found, or when the next look is due. */
export type Look<A> =
  | { readonly _tag: "Found"; readonly found: A }
  /** At once. */
  | { readonly _tag: "Again" }
  /** After this pause, whatever the chain does. */
  | { readonly _tag: "After"; readonly pause: Duration.Duration }
  /** When the newest block or the final height has moved. With `beyond`, when the newest block is another one. */
  | { readonly _tag: "Moved"; readonly beyond?: Cursor | undefined }
  /** When blocks up to this height are final. */
  | { readonly _tag: "Final"; readonly height: bigint }

export const found = <A>(value: A) => ({ _tag: "Found", found: value }) as const
export const again = { _tag: "Again" } as const
export const after = (pause: Duration.Duration) => ({ _tag: "After", pause }) as const
export const whenMoved = { _tag: "Moved" } as const
/** For a look that has seen this block as the newest: there is nothing more to see until there is another one. */
export const whenMovedBeyond = (beyond: Cursor) => ({ _tag: "Moved", beyond }) as const
export const whenFinal = (height: bigint) => ({ _tag: "Final", height }) as const

/**
 * A look asks the quorum although one endpoint would do when none has for this many poll intervals. SECURITY: counted
 * in time, not in looks, which are rare on a chain that stands still or seems to.
 */
const QUORUM_EVERY = 16

/**
 * A wait ends in any case after the slow bound of the followers. Then `look` is run again. `purpose` "watches": a loop
 * that only looks, and never ends.
 */
export const lookUntil = Effect.fnUntraced(function*<A, E, R>(
  chain: Chain,
  look: (by: ReadBy) => Effect.Effect<Look<A>, E, R>,
  purpose: Purpose = "waits"
) {
  const followers = yield* Followers
  const quorumEvery = QUORUM_EVERY * Duration.toMillis(pollInterval(chain))
  let quorumAt = (yield* Clock.currentTimeMillis) + quorumEvery
  while (true) {
    const seen = yield* followers.seen(chain, purpose)
    const now = yield* Clock.currentTimeMillis
    const by = now < quorumAt ? "endpoint" : "quorum"
    if (by === "quorum") quorumAt = now + quorumEvery
    const looked = yield* look(by)
    switch (looked._tag) {
      case "Found":
        return looked.found
      case "Again":
        break
      case "After":
        yield* Effect.sleep(looked.pause)
        break
      case "Moved":
        yield* followers.moved(chain, seen, { beyond: looked.beyond })
        break
      case "Final":
        yield* followers.moved(chain, seen, { finalHeight: looked.height })
    }
  }
})
