/**
 * The operator who answers the alarm `payment-stuck` on Bitcoin: some minutes after it, it raises `MAX_FEE_FACTOR` and
 * restarts the service. A recipient can hang transactions on its own fill that a replacement has to pay for, beyond any
 * limit that was set before: only the operator decides how much more such a fill is worth.
 */
import { Clock, Effect } from "effect"
import { alarmsOf } from "./Alarms.ts"
import type { Dice } from "./Dice.ts"
import type { supervise } from "./Processes.ts"

const LOOKS_EVERY_MS = 10_000
const ANSWERS_WITHIN_MS = [120_000, 300_000] as const
const TIMES_MORE = 10
/** A payment whose fee is at the limit again is looked at by people. */
const MOST_TIMES = 2

export const feeLimitsOf = (
  { reconfigure }: Pick<ReturnType<typeof supervise>, "reconfigure">,
  dice: Dice,
  tell: (event: string) => void
) => {
  let raised: number | undefined
  const live: Effect.Effect<void> = Effect.gen(function*() {
    let answered = 0
    for (let times = 0; times < MOST_TIMES;) {
      yield* Effect.sleep(LOOKS_EVERY_MS)
      if ((yield* alarmsOf("payment-stuck")) === answered) continue
      yield* Effect.sleep(dice.between(...ANSWERS_WITHIN_MS))
      answered = yield* alarmsOf("payment-stuck")
      times += 1
      yield* reconfigure((environment) => {
        const maxFeeFactor = environment.maxFeeFactor * TIMES_MORE
        tell(`an operator raises MAX_FEE_FACTOR to ${maxFeeFactor}`)
        return { ...environment, maxFeeFactor }
      })
      raised = yield* Clock.currentTimeMillis
    }
  })
  return {
    live,
    /** When it was raised last, milliseconds of virtual time. */
    raised: () => raised
  }
}
