/** `causeway`: the package's command. Everything that it can do, in groups. */
import { Command } from "effect/cli"
import { keys } from "../../transfer/keys/Program.ts"
import { backup, doctor, restore } from "../../transfer/operations/Programs.ts"
import { attest } from "./Attest.ts"
import { balance } from "./Balance.ts"
import { chains } from "./Chains.ts"
import { depositAddress } from "./DepositAddress.ts"
import { follow } from "./follow/Program.ts"
import { demo, simulate, start, withdraw } from "./LocalCommands.ts"
import { price, quote } from "./Quote.ts"
import { status } from "./Status.ts"
import { transfer } from "./Transfer.ts"
import { webhooks } from "./webhooks/Webhooks.ts"

/** All commands. Each is documented in docs/command.md, which is made of these definitions. */
export const causeway = Command.make("causeway").pipe(
  Command.withDescription([
    "Cross-chain transfers from a shell: a client of a transfer service, and its operator's programs.",
    "Secrets come from variables or files, never from the command line: API_KEY, ADMIN_TOKEN, WALLET_PRIVATE_KEY.",
    "Exit codes: 0 done, 1 failed or refused, 2 wrong usage."
  ].join("\n")),
  Command.withSubcommands([
    { group: "TRANSFERS", commands: [chains, price, quote, transfer, depositAddress, status, follow] },
    { group: "KEYS, BALANCES AND WEBHOOKS", commands: [balance, keys, webhooks] },
    { group: "OPERATORS", commands: [attest, doctor, backup, restore] },
    { group: "THE LOCAL NETWORK, IN A CHECKOUT", commands: [start, demo, withdraw, simulate] }
  ])
)
