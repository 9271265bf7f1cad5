/**
 * The process around a run: its arguments, its signals, its exit code.
 *
 * 0 after a requested orderly end, 1 after anything else.
 */
import { Cause, Effect, Exit } from "effect"
import { reasonOf } from "./LocalnetError.ts"
import type { Paths } from "./state/Paths.ts"
import { pathsBelow } from "./state/Paths.ts"
import { run } from "./Run.ts"
import type { Hosts } from "./Run.ts"
import * as Screen from "./Screen.ts"
import * as Signals from "./Signals.ts"
import { wantedBy } from "./Wanted.ts"

/** The failure in the form that a person should read: our own message, or everything when it is a defect. */
const explain = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return Cause.hasDies(cause) ? Cause.pretty(cause) : reasonOf(error)
}

/** Runs the local network with those services until it is stopped. Never rejects. */
export const launch = async <E>(
  hosts: Hosts<E>,
  words: ReadonlyArray<string> = process.argv.slice(2),
  paths: Paths = pathsBelow()
): Promise<void> => {
  // A closed terminal accepts no more text. Ending in order matters more.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  const screen = Screen.make(process.stdout, process.env)
  const program = Effect.gen(function*() {
    const wanted = yield* Effect.fromResult(wantedBy(words))
    return yield* run({ paths, ...wanted, screen, environment: process.env, hosts })
  })
  const asked = Effect.raceFirst(Signals.first, Signals.npmGone).pipe(
    Effect.tap((reason) => screen.line(`\nStopping (${reason}) …`))
  )
  const exit = await Effect.runPromiseExit(Effect.raceFirst(Effect.scoped(program), asked))
  if (Exit.isSuccess(exit)) {
    await Effect.runPromise(screen.line("Stopped; nothing is left running."))
    process.exit(0)
  }
  process.stderr.write(`${screen.bad("error:")} ${explain(exit.cause)}\n`)
  process.exit(1)
}
