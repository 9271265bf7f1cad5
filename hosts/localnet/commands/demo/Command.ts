/**
 * A command against the local network that runs: finds it by its file, and ends with 1 and one sentence when something
 * is wrong.
 */
import { Effect, Option } from "effect"
import { readJson } from "../../run/state/AtomicFile.ts"
import { Localnet } from "../../run/state/LocalnetFile.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { pathsBelow } from "../../run/state/Paths.ts"
import { isRunning } from "../../run/Running.ts"
import * as Screen from "../../run/Screen.ts"

/** `--help` prints `usage` and needs no network. */
export const runCommand = <A>(
  usage: string,
  act: (words: ReadonlyArray<string>, localnet: Localnet, screen: Screen.Screen) => Effect.Effect<A, LocalnetError>
): Promise<void> => {
  const screen = Screen.make(process.stdout, process.env)
  const paths = pathsBelow()
  const words = process.argv.slice(2)
  const program = Effect.gen(function*() {
    if (words.includes("--help")) return yield* screen.line(usage)
    const found = yield* readJson(paths.localnetFile, Localnet)
    if (Option.isNone(found) || !isRunning(found.value.pid)) {
      return yield* new LocalnetError({ message: `no local network runs in ${paths.root}: start one with npm start` })
    }
    yield* act(words, found.value, screen)
  })
  return Effect.runPromise(program.pipe(
    Effect.catchTag("LocalnetError", (error) =>
      Effect.sync(() => {
        process.stderr.write(`${screen.bad("error:")} ${error.message}\n`)
        process.exitCode = 1
      }))
  ))
}
