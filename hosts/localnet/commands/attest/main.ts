/**
 * `npm run attest`: a deposit on one chain of the local network that runs, attested by the oracle and accepted by the
 * hub, shown as it happens. A client: it reads `.causeway/localnet.json`, whose keys it signs with in the user's place.
 */
import { Effect } from "effect"
import { runCommand } from "../demo/Command.ts"
import { plan, usage } from "./Arguments.ts"
import { run } from "./Attest.ts"

await runCommand(
  usage,
  (words, localnet, screen) => Effect.flatMap(Effect.fromResult(plan(words, localnet)), (made) => run(made, screen))
)
