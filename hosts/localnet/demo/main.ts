/**
 * `npm run demo`: one more transfer on the local network that runs, shown as it
 * happens. A client: it reads `.causeway/localnet.json` and nothing else of ours.
 */
import { Effect, Option } from "effect"
import { readJson } from "../AtomicFile.ts"
import { Localnet } from "../LocalnetFile.ts"
import { LocalnetError } from "../LocalnetError.ts"
import { pathsBelow } from "../Paths.ts"
import { isRunning } from "../Running.ts"
import * as Screen from "../Screen.ts"
import { plan, usage } from "./Arguments.ts"
import { run } from "./DemoTransfer.ts"

const screen = Screen.make(process.stdout, process.env)
const paths = pathsBelow()
const words = process.argv.slice(2)

const program = Effect.gen(function*() {
  if (words.includes("--help")) return yield* screen.line(usage)
  const found = yield* readJson(paths.localnetFile, Localnet)
  if (Option.isNone(found) || !isRunning(found.value.pid)) {
    return yield* new LocalnetError({ message: `no local network runs in ${paths.root}: start one with npm start` })
  }
  yield* run(yield* Effect.fromResult(plan(words, found.value)), screen)
}).pipe(
  Effect.catchTag("LocalnetError", (error) =>
    Effect.sync(() => {
      process.stderr.write(`${screen.bad("error:")} ${error.message}\n`)
      process.exitCode = 1
    }))
)

await Effect.runPromise(program)
