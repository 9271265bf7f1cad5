/** `causeway deposit-address`: an address that is made for a transfer. Whoever pays there makes the transfer. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { requestIdOf } from "../../transfer/client/Execute.ts"
import { answer, ProgramFailed } from "../Program.ts"
import { table } from "../Screen.ts"
import { checkRecipient, endsOf, requestFor, transferFlags } from "./QuoteRequest.ts"
import { priceText } from "./QuoteText.ts"
import { asked, clientOf, reader, Url } from "./Service.ts"
import { trustFlags, verifierOf } from "./Trust.ts"

const flags = {
  ...transferFlags,
  "refund-to": Flag.String("refund-to").pipe(
    Flag.withMetavar("address"),
    Flag.withDescription("on the origin: who gets back what cannot be delivered")
  ),
  strict: Flag.Boolean("strict").pipe(
    Flag.withDescription("only the quoted amount is delivered; any other goes back"),
    Flag.withDefault(false)
  ),
  ...trustFlags
} as const

/** The refund's address is the user, because a sender who only has the address is known to nobody. */
export const depositAddress = Command.make(
  "deposit-address",
  flags,
  Effect.fnUntraced(function*({ "refund-to": refundTo, strict, ...wish }) {
    const ends = yield* endsOf(yield* reader, wish)
    yield* checkRecipient(ends, wish)
    const client = yield* clientOf(yield* verifierOf(wish, ends.served))
    const request = {
      ...requestFor(ends, wish, refundTo),
      useDepositAddress: true,
      refundTo,
      ...(strict ? { strict: true } : {})
    }
    const quote = yield* asked((signal) => client.getQuote(request, { signal }))
    const address = quote.steps.find((step) => step.depositAddress !== undefined)?.depositAddress
    if (address === undefined) {
      return yield* new ProgramFailed({ reason: "refused", message: "the quote has no deposit address" })
    }
    const { currencyIn } = quote.details
    const requestId = requestIdOf(quote)
    const pay = `${currencyIn.amountFormatted} ${currencyIn.currency.symbol} on ${ends.from.slug}`
    yield* answer(
      {
        requestId,
        depositAddress: address,
        chainId: ends.from.id,
        currency: currencyIn.currency,
        amount: currencyIn.amount
      },
      `${priceText(quote, ends)}\n${table([["request ", requestId], ["pay", pay], ["to", address]]).join("\n")}`
    )
  })
).pipe(
  Command.withDescription("Make an address for a transfer: who pays there, by any wallet, makes it"),
  Command.withGlobalFlags([Url])
)
