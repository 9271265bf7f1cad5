/**
 * `npm run demo`: makes one more transfer on the running local network, and prints each step; with `--matrix` one from
 * every family to every other. A client: of this
 * repository's state it reads only `.causeway/localnet.json`.
 */
import { Command } from "effect/cli"
import { runProgram } from "../../../cli/Program.ts"
import { onLocalnet } from "./Command.ts"
import { flags, plan, usage } from "./Arguments.ts"
import { run } from "./DemoTransfer.ts"
import { runMatrix } from "./matrix/MatrixDemo.ts"
import { planMatrix } from "./matrix/MatrixPlan.ts"

runProgram(
  Command.make("demo", flags, (asked) =>
    asked.matrix
      ? onLocalnet((localnet) => planMatrix(asked, localnet), runMatrix)
      : onLocalnet((localnet) => plan(asked, localnet), run)).pipe(
      Command.withDescription(`Transfers on the local network that runs, shown as they happen.\n${usage}`)
    )
)
