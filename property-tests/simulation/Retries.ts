/**
 * The operator who answers the alarm `unrefundable`: some minutes after it, it retries the requests. While a token on
 * Tron refuses transfers, its deposits cannot be refunded. It looks a few times: some deposits can never be refunded.
 */
import { Effect } from "effect"
import type { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { Retrying } from "../../src/services/operations/Retrying.ts"
import { alarmsOf } from "./Alarms.ts"
import type { Dice } from "./Dice.ts"
import type { Use } from "./Processes.ts"

const LOOKS_EVERY_MS = 10_000
const ANSWERS_WITHIN_MS = [120_000, 300_000] as const
const MOST_TIMES = 4

/** Ends when it has looked often enough. `requests`: those that were quoted so far. */
export const retriesOf = (
  use: Use,
  requests: () => ReadonlyArray<RequestId>,
  dice: Dice,
  tell: (event: string) => void
): Effect.Effect<void> =>
  Effect.gen(function*() {
    let answered = 0
    for (let times = 0; times < MOST_TIMES;) {
      yield* Effect.sleep(LOOKS_EVERY_MS)
      const raised = yield* alarmsOf("unrefundable")
      if (raised === answered) continue
      yield* Effect.sleep(dice.between(...ANSWERS_WITHIN_MS))
      answered = raised
      times += 1
      tell("an operator retries what could not be refunded")
      for (const id of requests()) yield* use(Effect.flatMap(Retrying, (retrying) => retrying.retry(id)))
    }
  })
