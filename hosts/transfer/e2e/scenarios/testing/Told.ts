/** Paragraphs of a page about what was done for a request and its result. */
import type { Outcome } from "./Played.ts"
import { money, table } from "./Table.ts"

/** What was sent to a deposit address, and the result. */
export const addressed = ({ end, sent }: Outcome): ReadonlyArray<string> => {
  const reason = end.failReason === "N/A" ? "" : `, \`failReason\` ${end.failReason}`
  return [
    `Sent to the deposit address: ${money(sent)} USDC. The request ends as \`${end.status}\`${reason}.`,
    ...(end.refunds.length === 0 ? [] : [
      "Its `refunds`:",
      table(
        ["kind", "state", "reason", "amount", "refunded"],
        end.refunds.map((
          { amount, kind, reason: why, refunded, state }
        ) => [kind ?? "(all of the deposit)", state, why, money(amount), money(refunded ?? "0")])
      )
    ])
  ]
}

/** With a permit: what the user did, in order, and whether its wallet paid any gas. */
export const signed = (steps: ReadonlyArray<string>, paidGas: boolean): ReadonlyArray<string> => [
  `Steps: ${steps.map((step) => `\`${step}\``).join(", ")}. The user's wallet ${
    paidGas ? "paid the gas of the approval" : "paid no gas"
  }.`
]
