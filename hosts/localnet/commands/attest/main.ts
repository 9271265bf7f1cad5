/**
 * `npm run attest`: makes a deposit on one chain of the running local network, has the oracle attest it and the hub
 * accept it, and prints each step. A client: it reads `.causeway/localnet.json`, and signs with its keys in place of
 * the user.
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
