/**
 * `npm run demo`: makes one more transfer on the running local network, and prints each step. A client: of this
 * repository's state it reads only `.causeway/localnet.json`.
 */
import { Command } from "effect/cli"
import { runProgram } from "../../../cli/Program.ts"
import { onLocalnet } from "./Command.ts"
import { flags, plan, usage } from "./Arguments.ts"
import { run } from "./DemoTransfer.ts"

runProgram(
  Command.make("demo", flags, (asked) => onLocalnet((localnet) => plan(asked, localnet), run)).pipe(
    Command.withDescription(`One more transfer on the local network that runs, shown as it happens.\n${usage}`)
  )
)
