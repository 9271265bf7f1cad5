/**
 * `npm run demo`: one more transfer on the local network that runs, shown as it
 * happens. A client: it reads `.causeway/localnet.json` and nothing else of ours.
 */
import { Effect } from "effect"
import { plan, usage } from "./Arguments.ts"
import { runCommand } from "./Command.ts"
import { run } from "./DemoTransfer.ts"

await runCommand(
  usage,
  (words, localnet, screen) => Effect.flatMap(Effect.fromResult(plan(words, localnet)), (made) => run(made, screen))
)
