/** A quote or a price as lines for people. Every amount has its currency. */
import type { Answer } from "../../transfer/client/Operations.ts"
import { table } from "../Screen.ts"
import type { TransferEnds } from "./QuoteRequest.ts"

type Amount = Answer<"POST /price">["details"]["currencyIn"]

const amountText = ({ amountFormatted, currency }: Amount): string => `${amountFormatted} ${currency.symbol}`

const withUsd = (amount: Amount): string => `${amountText(amount)} (${amount.amountUsd} USD)`

/** The least that is delivered, in whole units. */
const leastOf = ({ currency, minimumAmount }: Amount): string => {
  const digits = minimumAmount.padStart(currency.decimals + 1, "0")
  const cut = digits.length - currency.decimals
  const fraction = digits.slice(cut).replace(/0+$/u, "")
  return `${digits.slice(0, cut)}${fraction === "" ? "" : `.${fraction}`} ${currency.symbol}`
}

/** What is paid and delivered, the fees and the time. */
export const priceText = ({ details, fees }: Answer<"POST /price">, { from, to }: TransferEnds): string =>
  table([
    ["pays", `${withUsd(details.currencyIn)} on ${from.slug}`],
    ["delivers", `${withUsd(details.currencyOut)} on ${to.slug}`],
    ["at least", `${leastOf(details.currencyOut)}, or the deposit is refunded`],
    ["to", details.recipient],
    ["fees", withUsd(fees.relayer)],
    ...fees.app.amount === "0" ? [] : [["app fees", withUsd(fees.app)]],
    ...fees.subsidized.amount === "0" ? [] : [["sponsored", withUsd(fees.subsidized)]],
    ["own gas", withUsd(fees.gas)],
    ["takes", `about ${details.timeEstimate} s`]
  ]).join("\n")
