/**
 * `npm run follow -- <request id>`: prints the history of a request, live, from the local network's service or another
 * (`--url`). Exit code 0 when it was delivered. Otherwise 1, with the reason.
 */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { answer, Json, ProgramFailed, runProgram } from "../../../cli/Program.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { pathsBelow } from "../../run/state/Paths.ts"
import { findLocalnet, screen } from "../demo/Command.ts"
import { flags, parse, usage } from "./Arguments.ts"
import { follow } from "./Follow.ts"

const localUrl = Effect.gen(function*() {
  const found = yield* findLocalnet
  return Option.isSome(found)
    ? found.value.transferUrl
    : yield* new LocalnetError({
      message: `no local network runs in ${pathsBelow().root}: start one with npm start, or name a service with --url`,
      reason: "no-network"
    })
})

const command = Command.make(
  "follow",
  flags,
  Effect.fnUntraced(function*(asked) {
    const { id, url } = yield* Effect.fromResult(parse(asked))
    const status = yield* follow({ id, url: url ?? (yield* localUrl) }, yield* screen)
    if (yield* Json) yield* answer({ id, status }, "")
    if (status !== "success") return yield* new ProgramFailed({ reason: status, message: status, told: true })
  })
).pipe(Command.withDescription(`What became of a request, live, until it has ended.\n${usage}`))

// After a signal nothing more is printed: no stack trace, and no error of a closed pipe.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130))
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => process.exit(1))

runProgram(command)
