/** `causeway quote` and `causeway price`: what a transfer would pay and deliver. Neither sends anything. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { answer } from "../Program.ts"
import { requestIdOf } from "../../transfer/client/Execute.ts"
import { checkRecipient, endsOf, requestFor, transferFlags } from "./QuoteRequest.ts"
import { priceText } from "./QuoteText.ts"
import { asked, reader, Url } from "./Service.ts"

const flags = {
  ...transferFlags,
  user: Flag.String("user").pipe(Flag.withMetavar("address"), Flag.withDescription("who pays"))
} as const

/** An order that the solver has signed. With `--json` it has the steps that a wallet sends. */
export const quote = Command.make(
  "quote",
  flags,
  Effect.fnUntraced(function*({ user, ...wish }) {
    const client = yield* reader
    const ends = yield* endsOf(client, wish)
    yield* checkRecipient(ends, wish)
    const got = yield* asked((signal) => client.getQuote(requestFor(ends, wish, user), { signal }))
    yield* answer(got, `${priceText(got, ends)}\nrequest   ${requestIdOf(got)}`)
  })
).pipe(
  Command.withDescription(
    "Ask for a quote, which can be paid. The steps that a wallet sends are in its --json; causeway transfer sends them"
  ),
  Command.withGlobalFlags([Url])
)

/** What a quote would say now. */
export const price = Command.make(
  "price",
  flags,
  Effect.fnUntraced(function*({ user, ...wish }) {
    const client = yield* reader
    const ends = yield* endsOf(client, wish)
    yield* checkRecipient(ends, wish)
    const got = yield* asked((signal) => client.call("POST /price", { body: requestFor(ends, wish, user) }, { signal }))
    yield* answer(got, priceText(got, ends))
  })
).pipe(
  Command.withDescription("Ask for the price of a transfer, without an order that could be paid"),
  Command.withExamples([{
    command: "npx causeway price --from alpha --to beta --amount 0.1 --user 0x8F6f614A09b24707aA27294bF08a239Ad45bD3CC"
  }]),
  Command.withGlobalFlags([Url])
)
