/** A scenario as a page: the question, the answer, and every balance before and after. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { addressOf } from "../../../../localnet/nodes/ethereum/Addresses.ts"
import type { Played, Refused } from "./Played.ts"
import { sponsor } from "./Sponsoring.ts"
import { balances, money, table } from "./Table.ts"

export interface Scenario {
  /** The page's file name, without its extension. */
  readonly file: string
  readonly title: string
  /** The rule, in the words of the contract. */
  readonly rule: string
  /** What the figures show. */
  readonly shows: string
}

/** A run: the path of its suite, and the meaning of the amounts on its pages. */
export interface Run {
  readonly suite: string
  readonly amounts: string
}

const Amount = Schema.Struct({ amount: Schema.String })
const Counted = Schema.Struct({ amount: Schema.String, currency: Schema.Struct({ decimals: Schema.Int }) })
const Share = Schema.Struct({ selected: Schema.Boolean, total: Amount, sponsored: Amount, userPays: Amount })
const Split = Schema.Struct({
  capHit: Schema.Boolean,
  components: Schema.Record(Schema.String, Share),
  sponsoredTotal: Amount,
  userPaysTotal: Amount,
  sponsorPayment: Schema.optionalKey(Schema.Struct({ amount: Schema.String }))
})
const Answer = Schema.Struct({
  fees: Schema.Struct({ relayer: Amount, app: Amount, subsidized: Amount }),
  feeSponsorship: Schema.optionalKey(Schema.Struct({ quoted: Split })),
  details: Schema.Struct({ currencyIn: Counted, currencyOut: Counted })
})

/** With the decimals of the paid currency, in which fees are. */
const splits = (quoted: typeof Split.Type, actual: typeof Split.Type, decimals: number): string => {
  const units = ({ amount }: typeof Amount.Type) => money(amount, decimals)
  return table(
    ["component", "selected", "quoted", "sponsor", "user", "really", "sponsor", "user"],
    [
      ...Object.entries(quoted.components).map(([name, share]) => {
        const really = actual.components[name] ?? share
        return [
          name,
          share.selected ? "yes" : "no",
          ...[share, really].flatMap((
            { sponsored, total, userPays }
          ) => [units(total), units(sponsored), units(userPays)])
        ]
      }),
      [
        "sum",
        "",
        "",
        units(quoted.sponsoredTotal),
        units(quoted.userPaysTotal),
        "",
        units(actual.sponsoredTotal),
        units(actual.userPaysTotal)
      ]
    ]
  )
}

const asking = ({ asked, play }: Pick<Played, "asked" | "play">): ReadonlyArray<string> => [
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
  const { actual, after, answer, before, told } = played
  const { details: { currencyIn, currencyOut }, fees, feeSponsorship } = Schema.decodeUnknownSync(Answer)(answer)
  const { decimals } = currencyIn.currency
  const fee = (name: keyof typeof fees) => money(fees[name].amount, decimals)
  const sponsored = feeSponsorship === undefined
    ? ["The answer has no `feeSponsorship`."]
    : [
      `Who pays which fee, as quoted and as it really was (\`feeSponsorship.quoted\`, \`feeSponsorship.actual\`); \`capHit\` is ${feeSponsorship.quoted.capHit}:`,
      splits(feeSponsorship.quoted, Schema.decodeUnknownSync(Split)(actual), decimals),
      `\`sponsorPayment\`: ${money(Schema.decodeUnknownSync(Split)(actual).sponsorPayment?.amount ?? "0")} USDC.`
    ]
  return [
    ...asking(played),
    `Answered: in ${money(currencyIn.amount, decimals)}, out ${
      money(currencyOut.amount, currencyOut.currency.decimals)
    }, fees ${fee("relayer")} and ${fee("app")} of the app, subsidized ${fee("subsidized")}.`,
    ...told,
    ...sponsored,
    "On the chains:",
    balances(before.chains, after.chains),
    ...(before.sol === undefined || after.sol === undefined ? [] : ["In SOL:", balances(before.sol, after.sol, 9)]),
    "In the ledger:",
    balances(before.ledger, after.ledger)
  ].join("\n\n")
}

const Parties = Schema.Struct({ user: Schema.String, depositFeePayer: Schema.optionalKey(Schema.String) })

/** Replaces values that differ from run to run, or mean nothing to a reader, with names. */
const named = (text: string, played: ReadonlyArray<Pick<Played, "asked">>): string => {
  const parties = played.map(({ asked }) => Schema.decodeUnknownSync(Parties)(asked))
  const names: ReadonlyArray<readonly [string, string]> = [
    ...parties.map(({ user }) => [user, "(the user)"] as const),
    ...parties.flatMap(({ depositFeePayer }) =>
      depositFeePayer === undefined ? [] : [[depositFeePayer, "(the fee payer)"] as const]
    ),
    [sponsor.wallet ?? "none", "(the sponsor)"],
    [`@616101:${addressOf("TestUSDC").toLowerCase()}`, " in USDC on alpha"]
  ]
  const hidden = names.reduce((all, [address, name]) => all.replaceAll(address, name), text)
  return hidden.replaceAll(/:0x[0-9a-f]{64}/g, ":(the request)")
}

const page = (
  { amounts, suite }: Run,
  { rule, shows, title }: Scenario,
  played: ReadonlyArray<Played>,
  refused: ReadonlyArray<Refused>
): string =>
  named(
    [
      `# ${title}`,
      `> ${rule}`,
      shows,
      `This page is written by the run of \`${suite}\` against a real host on local chains, and the test fails when a run says anything else. ${amounts}`,
      ...refused.map(refusal),
      ...played.map(section)
    ].join("\n\n"),
    [...played, ...refused]
  ) + "\n"

const root = join(import.meta.dirname, "../../../../..")

/** Compares the results with the page, or writes the page (`SCENARIOS=write`). */
export const comparePage = (
  run: Run,
  scenario: Scenario,
  played: ReadonlyArray<Played>,
  refused: ReadonlyArray<Refused>
): Effect.Effect<void> =>
  Effect.sync(() => {
    for (const { answer, status } of refused) assert.strictEqual(status, 400, JSON.stringify(answer))
    const text = page({ ...run, suite: relative(root, run.suite) }, scenario, played, refused)
    const path = join(root, "docs/scenarios", `${scenario.file}.md`)
    if (process.env["SCENARIOS"] === "write") return writeFileSync(path, text)
    assert.strictEqual(text, existsSync(path) ? readFileSync(path, "utf8") : "")
  })
