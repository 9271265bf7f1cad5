/**
 * `causeway keys`: manages API keys from a shell, against the running service. A client: it uses the service's HTTP API
 * and its environment variables, and opens no store.
 */
import { Command } from "effect/cli"
import { Url } from "../../cli/command/Service.ts"
import { budget } from "./Budget.ts"
import { create, list, revoke, rotate } from "./Keys.ts"
import { link, unlink } from "./Wallets.ts"

/** All that is done with keys. */
export const keys = Command.make("keys").pipe(
  Command.withShortDescription("Make, show, rotate, revoke, link and limit API keys"),
  Command.withDescription([
    "API keys of the transfer service.",
    "create, list, rotate, revoke and budget need ADMIN_TOKEN; link and unlink the key in API_KEY, and the wallet's WALLET_PRIVATE_KEY or its signature on stdin.",
    "Results go to stdout, all other words to stderr."
  ].join("\n")),
  Command.withSubcommands([create, list, rotate, revoke, link, unlink, budget]),
  Command.withGlobalFlags([Url])
)
