/**
 * `npm run withdraw`: takes a balance of the hub out of the local network that runs, shown as it happens. A client: it
 * reads `.causeway/localnet.json`, whose keys it signs with in the place of owner and allocator.
 */
import { Command } from "effect/cli"
import { runProgram } from "../../../cli/Program.ts"
import { onLocalnet } from "../demo/Command.ts"
import { flags, plan, usage } from "./Arguments.ts"
import { run } from "./Withdraw.ts"

runProgram(
  Command.make("withdraw", flags, (asked) => onLocalnet((localnet) => plan(asked, localnet), run)).pipe(
    Command.withDescription(
      `Take a balance of the hub out of the local network that runs, shown as it happens.\n${usage}`
    )
  )
)
