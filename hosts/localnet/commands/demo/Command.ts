/** Runs a command against the running local network, which it finds by its file. With `--json` the screen is stderr. */
import { Effect, Option } from "effect"
import type { Result } from "effect"
import { answer, Json, screen } from "../../../cli/Program.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import { isRunning } from "../../run/Running.ts"
import type * as Screen from "../../../cli/Screen.ts"
import { readJson } from "../../run/state/AtomicFile.ts"
import { Localnet } from "../../run/state/LocalnetFile.ts"
import { pathsBelow } from "../../run/state/Paths.ts"

/** The network that runs here, if any. */
export const findLocalnet = Effect.gen(function*() {
  const found = yield* readJson(pathsBelow().localnetFile, Localnet)
  return Option.filter(found, ({ pid }) => isRunning(pid))
})

/** Plans with the running network's data, then runs the plan. The outcome is the result. */
export const onLocalnet = Effect.fnUntraced(function*<Plan, A>(
  plan: (localnet: Localnet) => Result.Result<Plan, LocalnetError>,
  run: (plan: Plan, screen: Screen.Screen) => Effect.Effect<A, LocalnetError>
) {
  const found = yield* findLocalnet
  if (Option.isNone(found)) {
    return yield* new LocalnetError({
      message: `no local network runs in ${pathsBelow().root}: start one with npm start`,
      reason: "no-network"
    })
  }
  const outcome = yield* run(yield* Effect.fromResult(plan(found.value)), yield* screen)
  if (yield* Json) yield* answer(outcome, "")
})
