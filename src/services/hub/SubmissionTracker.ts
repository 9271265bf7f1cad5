/**
 * Follows every stored submission that is in flight, by its stored chain and gate: also while settling is off, and when
 * another hub is configured now. Submissions on chains that are not configured are reported.
 */
import * as Effect from "effect/Effect"
import { SettlingHub } from "../../../ports/hub/SettlingHub.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { Submission } from "../../../ports/store/orders/Settlements.ts"
import { countStuck } from "../operations/Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { gates } from "./Gates.ts"
import { notePosition } from "./HubPosition.ts"
import { submit } from "./Submitting.ts"

/** One fiber of this process follows each submission, also after a restart. */
export const makeSubmissionTracker = () => {
  const followed = new Set<Submission["id"]>()
  const told = new Set<Submission["id"]>()
  return Effect.gen(function*() {
    const settlements = yield* Settlements
    const gateOf = yield* gates
    for (const submission of (yield* settlements.underWay).filter((each) => !followed.has(each.id))) {
      const { chainId, id } = submission
      const gate = gateOf(submission)
      if (gate === undefined) {
        if (told.has(id)) continue
        told.add(id)
        yield* countStuck("submission-unfollowed")
        yield* Effect.logError(
          `the submission ${id} to chain ${chainId} is not tracked: add its hub to configs/chains.hub.<ENVIRONMENT>.json, with its variables`
        )
        continue
      }
      followed.add(id)
      yield* submit(gate, submission).pipe(
        retryForever("settlement.submit"),
        Effect.ensuring(Effect.sync(() => followed.delete(id))),
        Effect.forkScoped
      )
    }
  })
}

/** Of the hub, and of every other chain with a submission in flight. */
export const notePositions = Effect.gen(function*() {
  const settlements = yield* Settlements
  const { hub } = yield* SettlingHub
  const gateOf = yield* gates
  const chains = new Map((hub === undefined ? [] : [hub]).map(({ chain }) => [chain.id, chain]))
  for (const submission of yield* settlements.underWay) {
    const chain = gateOf(submission)?.chain
    if (chain !== undefined) chains.set(chain.id, chain)
  }
  yield* Effect.forEach(chains.values(), notePosition, { concurrency: "unbounded", discard: true })
})
