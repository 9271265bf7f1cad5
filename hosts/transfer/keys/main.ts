/**
 * `npm run keys`: manages API keys from a shell, against the running service. A client: it uses the service's HTTP API
 * and its environment variables, and opens no store.
 */
import { Command } from "effect/cli"
import { runProgram } from "../../cli/Program.ts"
import { create, list, revoke, rotate } from "./Keys.ts"
import { balance, budget } from "./Money.ts"
import { link, unlink } from "./Wallets.ts"

const keys = Command.make("keys").pipe(
  Command.withDescription([
    "API keys of the transfer service at TRANSFER_URL (http://127.0.0.1:3001 unless set).",
    "create, list, rotate, revoke and budget need ADMIN_TOKEN; link and unlink the key in API_KEY, and the wallet's WALLET_PRIVATE_KEY or its signature on stdin.",
    "Results go to stdout, all other words to stderr."
  ].join("\n")),
  Command.withSubcommands([create, list, rotate, revoke, link, unlink, balance, budget])
)

runProgram(keys)
