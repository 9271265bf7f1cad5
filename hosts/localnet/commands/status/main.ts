/**
 * `npm run status`: what of the local network runs, its chains with their heights, and requests. Exit code 1 when no
 * network runs here.
 */
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { runProgram } from "../../../cli/Program.ts"
import { onLocalnet } from "../demo/Command.ts"
import { statusOf } from "./Status.ts"
import { statusLines } from "./StatusText.ts"

runProgram(
  Command.make("status", {}, () =>
    onLocalnet(
      Result.succeed,
      Effect.fnUntraced(function*(localnet, screen) {
        const status = yield* statusOf(localnet)
        yield* Effect.forEach(statusLines(status), screen.line, { discard: true })
        return status
      })
    )).pipe(Command.withDescription("What of the local network runs now: services, chains, requests."))
)
