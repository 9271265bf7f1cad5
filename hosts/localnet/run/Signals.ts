/**
 * What ends a run from outside: Ctrl-C, kill, a closed terminal, and the end of
 * the npm that started it.
 *
 * The first signal asks for an orderly end; one that comes a second later ends
 * the process at once (the chains end with it, see chains/Guard.ts). Earlier
 * ones are the same wish: npm passes on what Ctrl-C has sent to us as well.
 */
import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Milliseconds after which a further signal means now. */
const impatience = 1000

/** Completes with the name of the first signal. */
export const first: Effect.Effect<string> = Effect.callback((resume) => {
  let asked: number | undefined
  for (const signal of signals) {
    process.on(signal, () => {
      const now = performance.now()
      if (asked !== undefined && now - asked > impatience) process.exit(130)
      asked ??= now
      resume(Effect.succeed(signal))
    })
  }
})

/**
 * Completes when the npm that runs us has ended: killed, it passes no signal
 * on, and a network that nobody can stop any more would stay behind. Never
 * completes when somebody else started us: then it is no business of ours.
 */
export const npmGone: Effect.Effect<string> = Effect.suspend(() => {
  const parent = process.ppid
  if (process.env["npm_lifecycle_event"] !== "start") return Effect.never
  return Effect.sleep("500 millis").pipe(
    Effect.repeat({ until: () => process.ppid !== parent }),
    Effect.as("the end of npm")
  )
})
