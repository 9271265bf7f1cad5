/**
 * `npm run follow -- <request id>`: what became of a request, live, of the local network's service or of another
 * (`--url`). Ends with 0 when it was delivered, and with 1 and a word why when it was not.
 */
import { Effect, Option } from "effect"
import { readJson } from "../../run/state/AtomicFile.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { Localnet } from "../../run/state/LocalnetFile.ts"
import { pathsBelow } from "../../run/state/Paths.ts"
import { isRunning } from "../../run/Running.ts"
import * as Screen from "../../run/Screen.ts"
import { parse, usage } from "./Arguments.ts"
import { follow } from "./Follow.ts"

const screen = Screen.make(process.stdout, process.env)

const localUrl = Effect.gen(function*() {
  const paths = pathsBelow()
  const found = yield* readJson(paths.localnetFile, Localnet)
  return Option.isSome(found) && isRunning(found.value.pid)
    ? found.value.transferUrl
    : yield* new LocalnetError({
      message: `no local network runs in ${paths.root}: start one with npm start, or name a service with --url`
    })
})

const program = Effect.gen(function*() {
  const words = process.argv.slice(2)
  if (words.includes("--help")) return yield* screen.line(usage)
  const { id, url } = yield* Effect.fromResult(parse(words))
  const status = yield* follow({ id, url: url ?? (yield* localUrl) }, screen)
  if (status !== "success") process.exitCode = 1
}).pipe(
  Effect.catchTag("LocalnetError", (error) =>
    Effect.sync(() => {
      process.stderr.write(`${screen.bad("error:")} ${error.message}\n`)
      process.exitCode = 1
    }))
)

// Whoever has seen enough is told nothing more: not by a trace, nor by a pipe that was closed.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130))
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1))

await Effect.runPromise(program)
