/** A scenario that was played, as a page: what is asked, what is answered, and every balance before and after. */
import { Schema } from "effect"
import { formatDecimal } from "../../../../src/domain/money/Decimal.ts"
import { addressOf } from "../../../localnet/Addresses.ts"
import type { Balances, Played, Refusal, Refused } from "./Stage.ts"
import { sponsor } from "./Stage.ts"

export interface Scenario {
  /** Of the page, without its ending. */
  readonly file: string
  readonly title: string
  /** The rule, in the words of the contract. */
  readonly rule: string
  readonly plays: ReadonlyArray<Played["play"]>
  /** What is asked in vain, before the plays. */
  readonly refusals?: ReadonlyArray<Refusal>
  /** What the figures show. */
  readonly shows: string
}

const Amount = Schema.Struct({ amount: Schema.String })
const Share = Schema.Struct({ selected: Schema.Boolean, total: Amount, sponsored: Amount, userPays: Amount })
const Split = Schema.Struct({
  capHit: Schema.Boolean,
  components: Schema.Record(Schema.String, Share),
  sponsoredTotal: Amount,
  userPaysTotal: Amount,
  sponsorPayment: Schema.optionalKey(Schema.Struct({ amount: Schema.String }))
})
const Answer = Schema.Struct({
  fees: Schema.Record(Schema.String, Amount),
  feeSponsorship: Schema.optionalKey(Schema.Struct({ quoted: Split })),
  details: Schema.Struct({ currencyIn: Amount, currencyOut: Amount })
})

const money = (units: bigint | string): string => formatDecimal(BigInt(units), 6, 6)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map((_, index) => index === 0 ? "---" : "---:"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const balances = (before: Balances, after: Balances): string => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  const rows = names.map((name) => {
    const [was, is] = [before[name] ?? 0n, after[name] ?? 0n]
    return [name, money(was), money(is), was === is ? "" : `${is > was ? "+" : ""}${money(is - was)}`]
  })
  return table(["balance", "before", "after", "change"], rows)
}

const splits = (quoted: typeof Split.Type, actual: typeof Split.Type): string =>
  table(
    ["component", "selected", "quoted", "sponsor", "user", "really", "sponsor", "user"],
    [
      ...Object.entries(quoted.components).map(([name, share]) => {
        const really = actual.components[name] ?? share
        return [name, share.selected ? "yes" : "no", ...[share, really].flatMap(({ sponsored, total, userPays }) => [money(total.amount), money(sponsored.amount), money(userPays.amount)])]
      }),
      ["sum", "", "", money(quoted.sponsoredTotal.amount), money(quoted.userPaysTotal.amount), "", money(actual.sponsoredTotal.amount), money(actual.userPaysTotal.amount)]
    ]
  )

/** What was sent to a deposit address, and what became of it. */
const outcome = ({ end, play: { address } }: Played): ReadonlyArray<string> => {
  if (address === undefined) return []
  const reason = end.failReason === "N/A" ? "" : `, \`failReason\` ${end.failReason}`
  return [
    `Sent to the deposit address: ${money(address.sent)} USDC. The request ends as \`${end.status}\`${reason}.`,
    ...(end.refunds.length === 0 ? [] : [
      "Its `refunds`:",
      table(
        ["kind", "state", "reason", "amount", "refunded"],
        end.refunds.map(({ amount, kind, reason: why, refunded, state }) => [kind ?? "(all of the deposit)", state, why, money(amount), money(refunded ?? "0")])
      )
    ])
  ]
}

const asking = ({ asked, play }: Pick<Played, "asked"> & { readonly play: Refusal }): ReadonlyArray<string> => [
  `## ${play.what}`,
  `Asked${play.keyed ? ", with the sponsor's key as `x-api-key`" : " without a key"}:`,
  `\`\`\`json\n${JSON.stringify(asked, null, 2)}\n\`\`\``
]

const Refusing = Schema.Struct({ message: Schema.String, errorCode: Schema.String })

const refusal = (refused: Refused): string => {
  const { errorCode, message } = Schema.decodeUnknownSync(Refusing)(refused.answer)
  return [...asking(refused), `Answered: ${refused.status} \`${errorCode}\`, "${message}".`].join("\n\n")
}

const section = (played: Played): string => {
  const { actual, after, answer, before } = played
  const { details, fees, feeSponsorship } = Schema.decodeUnknownSync(Answer)(answer)
  const sponsored = feeSponsorship === undefined
    ? ["The answer has no `feeSponsorship`."]
    : [
      `Who pays which fee, as quoted and as it really was (\`feeSponsorship.quoted\`, \`feeSponsorship.actual\`); \`capHit\` is ${feeSponsorship.quoted.capHit}:`,
      splits(feeSponsorship.quoted, Schema.decodeUnknownSync(Split)(actual)),
      `\`sponsorPayment\`: ${money(Schema.decodeUnknownSync(Split)(actual).sponsorPayment?.amount ?? "0")} USDC.`
    ]
  return [
    ...asking(played),
    `Answered: in ${money(details.currencyIn.amount)}, out ${money(details.currencyOut.amount)}, fees ${money(fees["relayer"]?.amount ?? "0")} and ${money(fees["app"]?.amount ?? "0")} of the app, subsidized ${money(fees["subsidized"]?.amount ?? "0")}.`,
    ...(played.signing === undefined ? [] : [
      `Steps: ${played.signing.steps.map((step) => `\`${step}\``).join(", ")}. The user's wallet ${played.signing.paidGas ? "paid the gas of the approval" : "paid no gas"}.`
    ]),
    ...outcome(played),
    ...sponsored,
    "On the chains:",
    balances(before.chains, after.chains),
    "In the ledger:",
    balances(before.ledger, after.ledger)
  ].join("\n\n")
}

/** Names instead of what differs from run to run, or says nothing to a reader. */
const named = (text: string, played: ReadonlyArray<Pick<Played, "asked">>): string => {
  const users = played.map(({ asked }) => Schema.decodeUnknownSync(Schema.Struct({ user: Schema.String }))(asked).user)
  const names: ReadonlyArray<readonly [string, string]> = [
    ...users.map((address) => [address, "(the user)"] as const),
    [sponsor.wallet ?? "none", "(the sponsor)"],
    [`@616101:${addressOf("TestUSDC").toLowerCase()}`, " in USDC on alpha"]
  ]
  const hidden = names.reduce((all, [address, name]) => all.replaceAll(address, name), text)
  return hidden.replaceAll(/:0x[0-9a-f]{64}/g, ":(the request)")
}

export const page = ({ rule, shows, title }: Scenario, played: ReadonlyArray<Played>, refused: ReadonlyArray<Refused>): string =>
  named([
    `# ${title}`,
    `> ${rule}`,
    shows,
    "This page is written by the run of `hosts/transfer/scenarios/Scenarios.local.test.ts` against a real host on local chains, and the test fails when a run says anything else. Amounts are whole USDC or USDT, one of which is one dollar there.",
    ...refused.map(refusal),
    ...played.map(section)
  ].join("\n\n"), [...played, ...refused]) + "\n"
