/**
 * The operator who answers alarms about refunds: some minutes later, it retries the requests. While a token on Tron
 * refuses transfers, its deposits cannot be refunded, and a refund can fail in the block into which a reorg has put it
 * (REFUND-10). It looks a few times: some deposits can never be refunded.
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
const ANSWERED = ["unrefundable", "refund-reverted-by-reorganisation"] as const

/**
 * Ends when it has looked often enough. `requests`: those that were quoted so far, and those that the log names beside
 * an alarm. Only the log tells an operator of later requests at deposit addresses.
 */
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
      const counts = yield* Effect.forEach(ANSWERED, alarmsOf)
      const raised = counts.reduce((sum, count) => sum + count, 0)
      if (raised === answered) continue
      yield* Effect.sleep(dice.between(...ANSWERS_WITHIN_MS))
      answered = raised
      times += 1
      tell("an operator retries what could not be refunded")
      for (const id of requests()) yield* use(Effect.flatMap(Retrying, (retrying) => retrying.retry(id)))
    }
  })
