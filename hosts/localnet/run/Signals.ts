/**
 * What ends a run from outside: Ctrl-C, kill, a closed terminal, and the end of the npm that started it.
 *
 * The first signal requests an orderly end. One that comes a second later or more ends the process at once (the chains
 * end with it, see nodes/Guard.ts). Earlier ones are repetitions: npm forwards a Ctrl-C that we have received too.
 */
import { Effect } from "effect"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Milliseconds after which a further signal ends the process at once. */
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
 * Completes when the npm that runs us has ended. A killed npm forwards no signal, and the network would stay without a
 * way to stop it. Never completes when another program started us.
 */
export const npmGone: Effect.Effect<string> = Effect.suspend(() => {
  const parent = process.ppid
  if (process.env["npm_lifecycle_event"] !== "start") return Effect.never
  return Effect.sleep("500 millis").pipe(
    Effect.repeat({ until: () => process.ppid !== parent }),
    Effect.as("the end of npm")
  )
})
