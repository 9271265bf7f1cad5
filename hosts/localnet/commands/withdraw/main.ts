/**
 * `npm run withdraw`: takes a balance of the hub out of the local network that runs, shown as it happens. A client: it
 * reads `.causeway/localnet.json`, whose keys it signs with in the place of owner and allocator.
 */
import { Effect } from "effect"
import { runCommand } from "../demo/Command.ts"
import { plan, usage } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

await runCommand(
  usage,
  (words, localnet, screen) => Effect.flatMap(Effect.fromResult(plan(words, localnet)), (made) => run(made, screen))
)
