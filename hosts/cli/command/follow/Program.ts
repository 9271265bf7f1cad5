/**
 * `causeway follow <request>`: prints the history of a request, live. Exit code 0 when it was delivered. Otherwise 1,
 * with the state as the reason.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { answer, Json, ProgramFailed, screen } from "../../Program.ts"
import { serviceUrl, Url } from "../Service.ts"
import { flags, parse } from "./Arguments.ts"
import { follow as followToEnd } from "./Follow.ts"

/** A link's service is asked unless `--url` names another. */
export const follow = Command.make(
  "follow",
  flags,
  Effect.fnUntraced(function*(asked) {
    const { id, url } = yield* Effect.fromResult(parse(asked))
    const service = url === undefined || (yield* Url) !== undefined ? yield* serviceUrl : url
    const status = yield* followToEnd({ id, url: service }, yield* screen)
    if (yield* Json) yield* answer({ id, status }, "")
    if (status !== "success") return yield* new ProgramFailed({ reason: status, message: status, told: true })
  })
).pipe(
  Command.withDescription("Show what became of a request, live, until it has ended"),
  Command.withGlobalFlags([Url])
)
