/** `causeway balance <wallet>`: the app balance of a wallet, which sponsors and app fees are paid from and into. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { answer } from "../Program.ts"
import { table } from "../Screen.ts"
import { asked, reader, Url } from "./Service.ts"

/** Needs no key. A wallet that nobody has credited has zero. */
export const balance = Command.make(
  "balance",
  {
    wallet: Argument.String("wallet").pipe(
      Argument.withDescription("whose app balance"),
      Argument.withSchema(EthereumAddress)
    )
  },
  Effect.fnUntraced(function*({ wallet }) {
    const client = yield* reader
    const found = yield* asked((signal) =>
      client.call("GET /app-fees/:wallet/balances", { params: { wallet } }, { signal })
    )
    const { availableBalanceUsd, totalBalanceUsd } = found
    yield* answer(found, table([["TOTAL USD", "AVAILABLE USD"], [totalBalanceUsd, availableBalanceUsd]]).join("\n"))
  })
).pipe(
  Command.withDescription("Show the app balance of a wallet: all of it, and what no transfer under way holds"),
  Command.withGlobalFlags([Url])
)
