/**
 * A request timeline as lines of plain text for a terminal, in the same words as on the page. Every line is visible
 * text without control characters.
 */
import { amountText, thousandths, usdText, utcText, visible } from "./DisplayText.ts"
import type {
  RequestTimeline,
  TimelineAmount,
  TimelineFee,
  TimelineRefund,
  TimelineStep,
  TimelineTransaction
} from "./RequestTimeline.ts"

const money = (amount: TimelineAmount): string => {
  const usd = usdText(amount)
  return usd === undefined ? amountText(amount) : `${amountText(amount)} (about ${usd})`
}

const transactionText = ({ id, url }: TimelineTransaction): string => url ?? id

/** The request in two lines. */
export const headLines = (timeline: RequestTimeline): ReadonlyArray<string> =>
  [
    `Request ${timeline.id}`,
    `${money(timeline.gives)} on ${timeline.origin.name} for ${money(timeline.gets)} on ${timeline.destination.name}`
  ].map(visible)

/** One event, with its transaction on a line of its own. */
export const stepLines = ({ amount, at, text, transaction }: TimelineStep): ReadonlyArray<string> =>
  [
    `  ${at === null ? "in no block yet        " : utcText(at)}  ${text}${
      amount === null ? "" : `  ${amountText(amount)}`
    }`,
    ...(transaction === null ? [] : [`    ${transactionText(transaction)}`])
  ].map(visible)

/** What comes next; undefined when nothing does. */
export const nextLine = ({ next }: RequestTimeline): string | undefined =>
  next === null ? undefined : visible(`  Next: ${next.text}. It waits for ${next.waitsFor}.`)

const BAR = 20

/** Full blocks for the sender's part, light ones for the sponsor's, of all that was paid. */
const barOf = ({ sender, sponsor }: Pick<TimelineFee, "sender" | "sponsor">, whole: bigint): string => {
  const cells = (part: TimelineAmount) => Math.round(thousandths(part, whole) * BAR / 1_000)
  const own = cells(sender)
  return `${"█".repeat(own)}${"░".repeat(Math.min(cells(sponsor), BAR - own))}`
}

const whoPays = ({ sender, sponsor }: Pick<TimelineFee, "sender" | "sponsor">): string =>
  [["sender", sender] as const, ["sponsor", sponsor] as const]
    .filter(([, { units }]) => units !== "0")
    .map(([who, amount]) => `${who} ${amountText(amount)}`)
    .join(", ")

const feeLines = ({ fees }: RequestTimeline): ReadonlyArray<string> => {
  if (fees.basis === "none") return [`Fees: ${fees.note}`]
  if (fees.parts.length === 0) return ["Fees: there are none."]
  const whole = BigInt(fees.total.units)
  const rows = [...fees.parts, { ...fees, name: "Together" }].map((part) =>
    [part.name, barOf(part, whole), whoPays(part)] as const
  )
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `Fees: ${money(fees.total)}. ${fees.note}`,
    ...rows.map(([name, bar, who]) => `  ${name.padEnd(width)}  ${bar.padEnd(BAR)}  ${who}`.trimEnd())
  ]
}

const refundLines = (
  { amount, chain, deposit, gas, reason, recipient, refunded, text, transaction }: TimelineRefund
): ReadonlyArray<string> => [
  `  ${text}: ${money(refunded ?? amount)} on ${chain.name}${recipient === null ? "" : ` to ${recipient}`}`,
  `    ${reason}`,
  ...(gas === null ? [] : [`    of ${amountText(amount)}, less ${amountText(gas)} for the gas of sending it`]),
  `    deposit ${transactionText(deposit)}`,
  ...(transaction === null ? [] : [`    refund  ${transactionText(transaction)}`])
]

/** The closing lines: the state, fees and refunds. */
export const endLines = (timeline: RequestTimeline): ReadonlyArray<string> =>
  [
    `${timeline.headline}. ${timeline.explanation}`,
    ...feeLines(timeline),
    ...(timeline.refunds.length === 0 ? [] : ["Refunds:", ...timeline.refunds.flatMap(refundLines)])
  ].map(visible)
