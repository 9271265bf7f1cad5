/**
 * The process around a run: its arguments, its signals, its exit code.
 *
 * 0 after a requested orderly end, 1 after a failure, 2 after wrong arguments, as of every program (`hosts/cli`).
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { answer, exitCodeOf, Json } from "../../cli/Program.ts"
import type { Paths } from "./state/Paths.ts"
import { chainsOnlyPaths, pathsBelow } from "./state/Paths.ts"
import { runChains } from "./ChainsOnly.ts"
import { run } from "./Run.ts"
import type { Hosts } from "./Run.ts"
import * as Screen from "../../cli/Screen.ts"
import * as Signals from "./Signals.ts"
import { flags, wantedBy } from "./Wanted.ts"

const description = [
  "Runs local chains, the transfer service and the oracle, makes one transfer, and serves until Ctrl-C.",
  "The next start continues the same network.",
  "npm start [-- --all-families --fresh]"
].join("\n")

/** Runs the local network with those services, which are loaded for a start alone, until it is stopped. */
export const launch = async <E>(
  loadHosts: () => Promise<Hosts<E>>,
  words: ReadonlyArray<string> = process.argv.slice(2),
  paths: Paths = pathsBelow()
): Promise<void> => {
  // A closed terminal accepts no more text. Ending in order matters more.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  const serve = Effect.fnUntraced(function*(asked: Command.Command.Config.Infer<typeof flags>) {
    const wanted = yield* Effect.fromResult(wantedBy(asked))
    const screen = Screen.make((yield* Json) ? process.stderr : process.stdout, process.env)
    const program = wanted.chainsOnly ? runChains(chainsOnlyPaths(paths), wanted, screen) : Effect.gen(function*() {
      const hosts = yield* Effect.promise(loadHosts)
      return yield* run({ paths, ...wanted, screen, environment: process.env, hosts })
    })
    const ended = Effect.raceFirst(Signals.first, Signals.npmGone).pipe(
      Effect.tap((reason) => screen.line(`\nStopping (${reason}) …`))
    )
    const stopped = yield* Effect.raceFirst(Effect.scoped(program), ended)
    yield* screen.line("Stopped; nothing is left running.")
    if (yield* Json) yield* answer({ stopped }, "")
  })
  const command = Command.make("start", flags, serve).pipe(Command.withDescription(description))
  process.exit(await Effect.runPromise(exitCodeOf(command, words)))
}
