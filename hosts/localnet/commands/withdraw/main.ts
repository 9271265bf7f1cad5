/**
 * `npm run withdraw`: withdraws a hub balance from the running local network, and prints each step. A client: it reads
 * `.causeway/localnet.json`, and signs with its keys in place of owner and allocator.
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
