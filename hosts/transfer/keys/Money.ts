/**
 * `keys balance` and `budget`: a wallet's balance, and what a key may spend of it. Amounts are USDC with up to six
 * decimals.
 */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { KeysFailed } from "./KeysFailed.ts"
import { id } from "./Keys.ts"
import { answer } from "../../cli/Program.ts"
import { say, table } from "./Screen.ts"
import { anotherService, call } from "./Service.ts"

const Balance = Schema.Struct({ totalBalanceUsd: Schema.String, availableBalanceUsd: Schema.String })

const balanceIn = (answered: Schema.Json) =>
  Effect.mapError(Schema.decodeUnknownEffect(Balance)(answered), () => anotherService)

export const balance = Command.make(
  "balance",
  {
    wallet: Argument.String("wallet").pipe(
      Argument.withDescription("whose app balance"),
      Argument.withSchema(EthereumAddress)
    )
  },
  Effect.fnUntraced(function*({ wallet }) {
    const path = `/app-fees/${wallet}/balances`
    const answered = yield* call(Schema.Json, { method: "GET", path, right: "nobody" })
    const { availableBalanceUsd, totalBalanceUsd } = yield* balanceIn(answered)
    yield* answer(answered, table([["TOTAL USD", "AVAILABLE USD"], [totalBalanceUsd, availableBalanceUsd]]))
  })
).pipe(Command.withDescription("Show the app balance of a wallet: all of it, and what no transfer under way holds"))

/** Converts USDC as people write it to the millionths that the service counts in. */
export const microUsdc = (text: string): string | undefined => {
  const [, whole, fraction = ""] = /^(\d{1,12})(?:\.(\d{1,6}))?$/u.exec(text) ?? []
  return whole === undefined ? undefined : (BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0"))).toString()
}

const limits = {
  total: Flag.String("total").pipe(
    Flag.withMetavar("usdc"),
    Flag.withDescription("all that the key may ever spend"),
    Flag.optional
  ),
  perDay: Flag.String("per-day").pipe(
    Flag.withMetavar("usdc"),
    Flag.withDescription("what it may spend a day (UTC)"),
    Flag.optional
  ),
  perRecipientPerDay: Flag.String("per-recipient-per-day").pipe(
    Flag.withMetavar("usdc"),
    Flag.withDescription("the same for one recipient"),
    Flag.optional
  ),
  laterPerAddressPerDay: Flag.String("later-per-address-per-day").pipe(
    Flag.withMetavar("usdc"),
    Flag.withDescription("the same for the later deposits of one open deposit address; nothing unless set"),
    Flag.optional
  ),
  defaultCap: Flag.String("default-cap").pipe(
    Flag.withMetavar("usdc"),
    Flag.withDescription("what a request without a cap of its own may draw"),
    Flag.optional
  )
} as const

/** The service does not change members that the body leaves out. */
const none = { total: null, perDay: null, perRecipientPerDay: null, laterPerAddressPerDay: null, defaultCap: null }

const limited = Effect.fnUntraced(function*(name: string, given: Option.Option<string>) {
  if (Option.isNone(given)) return {}
  const amount = microUsdc(given.value)
  return amount === undefined
    ? yield* new KeysFailed({ message: `--${name} is USDC with up to six decimals, such as 12.50`, reason: "usage" })
    : { [name.replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase())]: amount }
})

export const budget = Command.make(
  "budget",
  {
    id,
    ...limits,
    unlimited: Flag.Boolean("unlimited").pipe(
      Flag.withDescription("take every limit away; later deposits are then not sponsored"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function*({ defaultCap, id, laterPerAddressPerDay, perDay, perRecipientPerDay, total, unlimited }) {
    const path = `/api-keys/${id}/budgets`
    const set = {
      ...(yield* limited("total", total)),
      ...(yield* limited("per-day", perDay)),
      ...(yield* limited("per-recipient-per-day", perRecipientPerDay)),
      ...(yield* limited("later-per-address-per-day", laterPerAddressPerDay)),
      ...(yield* limited("default-cap", defaultCap))
    }
    const isSet = Object.keys(set).length > 0
    if (isSet && unlimited) return yield* new KeysFailed({ message: "--unlimited goes with no limit", reason: "usage" })
    if (!isSet && !unlimited) {
      const shown = yield* call(Schema.Json, { method: "GET", path, right: "operator" })
      return yield* answer(shown, JSON.stringify(shown))
    }
    const answered = yield* call(Schema.Json, { method: "PUT", path, right: "operator", body: { ...none, ...set } })
    yield* say(
      `the budget of ${id} is set; what was not named has no limit, and later deposits of an open deposit address are sponsored as far as that was named`
    )
    yield* answer(answered, JSON.stringify(answered))
  })
).pipe(
  Command.withDescription(
    "Show what a key may spend, in millionths of a USDC, or set it: all limits at once, none for what is not named"
  ),
  Command.withExamples([{
    command: "npm run keys -- budget key_5f1d0c2b7a9e4c36 --per-day 100 --default-cap 2.50",
    description: "100 USDC a day, 2.50 a request"
  }])
)
