/** `keys budget`: what a key may spend of its wallet's balance. Amounts are USDC with up to six decimals. */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { formatDecimal } from "../../../src/domain/money/Decimal.ts"
import { id } from "./Keys.ts"
import { answer, ProgramFailed } from "../../cli/Program.ts"
import { BudgetAnswer } from "../endpoints/budgets/BudgetsApi.ts"
import { table } from "../../cli/Screen.ts"
import { say } from "./Output.ts"
import { call } from "./Service.ts"

const USDC_DECIMALS = 6

/** Converts USDC as people write it to the millionths that the service counts in. */
const microUsdc = (text: string): string | undefined => {
  const [, whole, fraction = ""] = /^(\d{1,12})(?:\.(\d{1,6}))?$/u.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(USDC_DECIMALS, "0")).toString()
}

const usdcText = (micros: string): string => `${formatDecimal(BigInt(micros), USDC_DECIMALS, 2)} USDC`

/** Every limit and what was spent, in USDC. */
const budgetText = ({ spent, ...limits }: typeof BudgetAnswer.Type): string =>
  table([
    ...Object.entries(limits).map(([name, micros]) => [name, micros === null ? "no limit" : usdcText(micros)]),
    ["spent", usdcText(spent.total)],
    ["spent today", usdcText(spent.today)]
  ]).join("\n")

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
    ? yield* new ProgramFailed({ message: `--${name} is USDC with up to six decimals, such as 12.50`, reason: "usage" })
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
    if (isSet && unlimited) {
      return yield* new ProgramFailed({ message: "--unlimited goes with no limit", reason: "usage" })
    }
    if (!isSet && !unlimited) {
      const shown = yield* call(BudgetAnswer, { method: "GET", path, right: "operator" })
      return yield* answer(shown, budgetText(shown))
    }
    const answered = yield* call(BudgetAnswer, { method: "PUT", path, right: "operator", body: { ...none, ...set } })
    yield* say(
      `the budget of ${id} is set; what was not named has no limit,\nand later deposits of an open deposit address are sponsored as far as named`
    )
    yield* answer(answered, budgetText(answered))
  })
).pipe(
  Command.withDescription(
    "Show what a key may spend, or set it: all limits at once, none for what is not named"
  ),
  Command.withExamples([{
    command: "npx causeway keys budget key_5f1d0c2b7a9e4c36 --per-day 100 --default-cap 2.50",
    description: "100 USDC a day, 2.50 a request"
  }])
)
