/**
 * `npm run attest`: a deposit on one chain of the local network that runs, attested by the oracle and accepted by the
 * hub, shown as it happens. A client: it reads `.causeway/localnet.json`, whose keys it signs with in the user's place.
 */
import { Command } from "effect/cli"
import { runProgram } from "../../../cli/Program.ts"
import { onLocalnet } from "../demo/Command.ts"
import { flags, plan, usage } from "./Arguments.ts"
import { run } from "./Attest.ts"

runProgram(
  Command.make("attest", flags, (asked) => onLocalnet((localnet) => plan(asked, localnet), run)).pipe(
    Command.withDescription(
      `A deposit on a chain of the local network that runs, attested by the oracle and accepted by the hub.\n${usage}`
    )
  )
)
