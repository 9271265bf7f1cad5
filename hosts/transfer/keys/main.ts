/**
 * `npm run keys`: API keys from a shell, against the running service. A client: it knows the service's HTTP API and its
 * environment variables, and opens no store.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { create, list, revoke, rotate } from "./Keys.ts"
import { balance, budget } from "./Money.ts"
import { say } from "./Screen.ts"
import { link, unlink } from "./Wallets.ts"

const keys = Command.make("keys").pipe(
  Command.withDescription([
    "API keys of the transfer service at TRANSFER_URL (http://127.0.0.1:3001 unless set).",
    "create, list, rotate, revoke and budget need ADMIN_TOKEN; link and unlink the key in API_KEY, and the wallet's WALLET_PRIVATE_KEY or its signature on stdin.",
    "Results go to stdout, all other words to stderr. Exit codes: 1 wrong usage, 2 refused by the service, 3 no answer."
  ].join("\n")),
  Command.withSubcommands([create, list, rotate, revoke, link, unlink, balance, budget])
)

Command.run(keys, { version: "1.0.0" }).pipe(
  Effect.catchTag("KeysFailed", ({ exitCode, message }) =>
    Effect.andThen(
      say(`keys: ${message}`),
      Effect.sync(() => {
        process.exitCode = exitCode
      })
    )),
  Effect.catchDefect((defect) =>
    Effect.andThen(
      say(`keys: a defect of this program: ${String(defect)}`),
      Effect.sync(() => {
        process.exitCode = 70
      })
    )
  ),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
