/** Waits for a host that starts. */
import { Effect } from "effect"

const answers = (url: string) =>
  Effect.promise(() => fetch(url).then((response) => response.status === 200, () => false))

/** Completes when the page answers 200. */
export const untilAnswers = (url: string) =>
  answers(url).pipe(
    Effect.tap((yes) => yes ? Effect.void : Effect.sleep(20)),
    Effect.repeat({ until: (yes) => yes }),
    Effect.asVoid
  )
