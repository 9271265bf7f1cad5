/**
 * docs/families.md: what tests show for each VM family, and which test shows it. Made from the results of a run
 * (scripts/testing/FamiliesReporter.ts).
 */
import { posix } from "node:path"
import { families } from "../../hosts/families.ts"
import type { FamilyName } from "../../src/domain/chain/VmFamily.ts"
import { type Cell, type Column, columns, type Pair } from "../testing/Shows.ts"

/** One test, or one suite that declares a cell as a whole. */
export interface Shown extends Cell {
  /** Path from the root of the tree. */
  readonly file: string
  readonly name: string
}

/**
 * Families under construction: a cell that no test shows says "not yet". For every other family such a cell fails the
 * run.
 */
const notYet: ReadonlyArray<FamilyName> = []

/** Shown by the transfer service. All others are shown by the oracle. */
const ofTransfers: ReadonlyArray<Column> = ["transfers from", "transfers to", "refunds"]

/** What a family cannot have, and why. Its tests, if it has any, show that nothing else is mistaken for it. */
const lackOf = ({ column, family }: Cell): string | undefined => {
  const { lacks = {}, transfer } = families.find(({ rules }) => rules.name === family) ?? {}
  if (column === "calls" || column === "reorg") return lacks[column]
  return ofTransfers.includes(column) && transfer === undefined ? "only the oracle serves it" : undefined
}

const reasonOf = (cell: Cell): string | undefined =>
  lackOf(cell) ?? (notYet.includes(cell.family) ? "not yet" : undefined)

const names: ReadonlyArray<FamilyName> = families.map(({ rules }) => rules.name)

const cells: ReadonlyArray<Cell> = names.flatMap((family) => columns.map((column) => ({ family, column })))

const isOf = ({ column, family }: Cell) => (cell: Cell): boolean => cell.family === family && cell.column === column

/** Cells that no test shows and that have no reason to be empty. */
export const unshown = (shown: ReadonlyArray<Cell>): ReadonlyArray<Cell> =>
  cells.filter((cell) => reasonOf(cell) === undefined && !shown.some(isOf(cell)))

/** A link by the suite's name, without `.local`, because most suites run against local chains. */
const linked = (file: string): string => `[${posix.basename(file).replace(/(?:\.local)?\.test\.ts$/, "")}](../${file})`

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)].toSorted()

const tableCell = (shown: ReadonlyArray<Shown>) => (cell: Cell): string => {
  const links = distinct(shown.filter(isOf(cell)).map(({ file }) => linked(file))).join(", ")
  const reason = lackOf(cell)
  if (reason !== undefined) return links === "" ? `– ${reason}` : `– ${reason} (${links})`
  return links === "" ? reasonOf(cell) ?? "**nothing**" : links
}

/** A line for each test, with everything that it shows, ordered by column. */
const section = (family: FamilyName, shown: ReadonlyArray<Shown>): ReadonlyArray<string> => {
  const lines = [
    ...Map.groupBy(shown.filter((each) => each.family === family), ({ file, name }) => `${name} (${linked(file)})`)
  ].map(([text, of]) => {
    const places = columns.flatMap((column, at) => of.some((each) => each.column === column) ? [at] : [])
    return { key: `${places.join()} ${text}`, line: `- ${places.map((at) => columns[at]).join(", ")}: ${text}` }
  })
  return lines.length === 0
    ? []
    : ["", `## ${family}`, "", ...lines.toSorted((a, b) => a.key < b.key ? -1 : 1).map(({ line }) => line)]
}

/** One test of a pair. */
export interface ShownPair {
  readonly pair: Pair
  readonly file: string
}

/** Rows and columns of the second table: the hosts' families, then others that tests bring. */
const pairNames = (pairs: ReadonlyArray<ShownPair>): ReadonlyArray<FamilyName> => [
  ...new Set([...names, ...pairs.flatMap(({ pair: { from, to } }) => [from, to])])
]

const pairTitle = (family: FamilyName): string => names.includes(family) ? family : `${family} (an example)`

const isBetween = (from: FamilyName, to: FamilyName) => ({ pair }: ShownPair): boolean =>
  pair.from === from && pair.to === to

/** Why nothing can move between two families, whatever tests show. */
const pairLack = (from: FamilyName, to: FamilyName): string | undefined => {
  const [of] = [from, to].filter((family) =>
    names.includes(family) && reasonOf({ family, column: "transfers from" }) !== undefined
  )
  return of === undefined ? undefined : `${of}: ${reasonOf({ family: of, column: "transfers from" }) ?? ""}`
}

/** Pairs that no test shows and that have no reason to be empty. None in a run without pairs. */
export const unshownPairs = (pairs: ReadonlyArray<ShownPair>): ReadonlyArray<string> => {
  const all = pairs.length === 0 ? [] : pairNames(pairs)
  return all.flatMap((from) =>
    all.flatMap((to) => pairLack(from, to) === undefined && !pairs.some(isBetween(from, to)) ? [`${from} → ${to}`] : [])
  )
}

const pairCell = (pairs: ReadonlyArray<ShownPair>) => (from: FamilyName, to: FamilyName): string => {
  const of = pairs.filter(isBetween(from, to)).map(({ pair }) => pair.says)
  const moved = of.flatMap((says) => "moved" in says ? [says.moved] : [])
  const lacks = of.flatMap((says) => "lacks" in says ? [`– ${says.lacks}`] : [])
  const lack = pairLack(from, to)
  const said = [...moved, ...lacks, ...(lack === undefined ? [] : [`– ${lack}`])]
  return said.length === 0 ? "**nothing**" : said.join("<br>")
}

/** The second table, in the order of the suite's tests. Nothing when no suite has pairs. */
const pairsTable = (pairs: ReadonlyArray<ShownPair>): ReadonlyArray<string> => {
  if (pairs.length === 0) return []
  const all = pairNames(pairs)
  const suites = distinct(pairs.map(({ file }) => linked(file))).join(", ")
  return [
    "",
    "## From each family to each",
    "",
    `Rows are origins. Each line was quoted, paid by a public client, filled, attested by the oracle and settled on the hub, and compared to the unit (${suites}).`,
    "Within a family: payments of its users that the service only follows (sent), a second chain, and swaps. `npm run demo -- --matrix` shows all pairs in a terminal.",
    "",
    `| from \\ to | ${all.map(pairTitle).join(" | ")} |`,
    `| --- |${" --- |".repeat(all.length)}`,
    ...all.map((from) => `| **${pairTitle(from)}** | ${all.map((to) => pairCell(pairs)(from, to)).join(" | ")} |`)
  ]
}

/** The page's text. It does not depend on the order in which the suites ran. */
export const familiesPage = (shown: ReadonlyArray<Shown>, pairs: ReadonlyArray<ShownPair> = []): string =>
  [
    "# What is shown of each family",
    "",
    "By tests against local chains: of the oracle and, in the last three columns, of the transfer service. The negative suite judges",
    "each family's own bytes. Written from the tests that ran: `npm run families` runs these suites and writes this page, and `npm cit`",
    "fails where it says anything but what that run has shown. How a test declares what it shows: [contributing.md](contributing.md#tests).",
    "",
    `| | ${columns.join(" | ")} |`,
    `| --- |${" --- |".repeat(columns.length)}`,
    ...names.map((family) =>
      `| **${family}** | ${columns.map((column) => tableCell(shown)({ family, column })).join(" | ")} |`
    ),
    ...pairsTable(pairs),
    ...names.flatMap((family) => section(family, shown)),
    ""
  ].join("\n")

/** The test files that a page links to. */
export const filesOf = (page: string): ReadonlyArray<string> =>
  distinct([...page.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g)].flatMap(([, file]) => file ?? []))
